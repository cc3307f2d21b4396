"""A bigram model of words, counted and learned: makemore's first lesson. The words are those of Python's own help.

python examples/tutorials/names_bigram.py
"""

import argparse
import re
from itertools import pairwise
from pydoc_data.topics import topics

import autograd_ops as torch
import autograd_ops.nn.functional as F


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--log-interval", type=int, default=10)
    args = parser.parse_args()

    words = sorted(set(re.findall(r"\b[a-z]{3,}\b", " ".join(topics.values()))))
    stoi = {s: i + 1 for i, s in enumerate("abcdefghijklmnopqrstuvwxyz")}
    stoi["."] = 0
    itos = {i: s for s, i in stoi.items()}

    # Counting: N[a, b] says how often b follows a.
    xs, ys = [], []
    N = torch.zeros((27, 27), dtype=torch.int32)
    for w in words:
        chs = [".", *w, "."]
        for ch1, ch2 in pairwise(chs):
            N[stoi[ch1], stoi[ch2]] += 1
            xs.append(stoi[ch1])
            ys.append(stoi[ch2])
    P = (N + 1).float()
    P /= P.sum(1, keepdim=True)
    xs, ys = torch.tensor(xs), torch.tensor(ys)
    counted = -P[xs, ys].log().mean().item()
    print(f"{len(words)} words, {xs.nelement()} bigrams; by counting: loss {counted:.6f}")

    # Learning: the same by gradient descent, the logarithms of the counts being the weights.
    g = torch.Generator().manual_seed(2147483647)
    W = torch.randn((27, 27), generator=g, requires_grad=True)
    for k in range(args.steps):
        xenc = F.one_hot(xs, num_classes=27).float()
        logits = xenc @ W
        counts = logits.exp()
        probs = counts / counts.sum(1, keepdims=True)
        loss = -probs[torch.arange(len(xs)), ys].log().mean() + 0.001 * (W**2).mean()
        W.grad = None
        loss.backward()
        W.data += -50 * W.grad
        if k % args.log_interval == 0:
            print(f"step {k:3}   loss {loss.item():.6f}")
    print(f"learned: loss {loss.item():.6f}, {loss.item() - counted:+.4f} from counting")

    for _ in range(5):
        out = []
        ix = 0
        while True:
            p = F.softmax(W.detach()[ix], dim=0)
            ix = torch.multinomial(p, num_samples=1, replacement=True, generator=g).item()
            if ix == 0:
                break
            out.append(itos[ix])
        print("".join(out))


if __name__ == "__main__":
    main()

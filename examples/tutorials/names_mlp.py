"""A multilayer perceptron on three characters of context, with batch norm by hand: makemore's third lesson.

python examples/tutorials/names_mlp.py
"""

import argparse
import random
import re
from pydoc_data.topics import topics

import autograd_ops as torch
import autograd_ops.nn.functional as F

BLOCK_SIZE, N_EMBD, N_HIDDEN = 3, 10, 100
ITOS = dict(enumerate(".abcdefghijklmnopqrstuvwxyz"))
STOI = {s: i for i, s in ITOS.items()}


def build_dataset(words):
    xs, ys = [], []
    for w in words:
        context = [0] * BLOCK_SIZE
        for ch in w + ".":
            ix = STOI[ch]
            xs.append(context)
            ys.append(ix)
            context = [*context[1:], ix]
    return torch.tensor(xs), torch.tensor(ys)


class BatchNorm:
    """Batch norm with running statistics of its own."""

    def __init__(self, dim, eps=1e-5, momentum=0.1):
        self.eps, self.momentum, self.training = eps, momentum, True
        self.gamma, self.beta = torch.ones(dim), torch.zeros(dim)
        self.running_mean, self.running_var = torch.zeros(dim), torch.ones(dim)

    def __call__(self, x):
        mean, var = (x.mean(0), x.var(0)) if self.training else (self.running_mean, self.running_var)
        if self.training:
            with torch.no_grad():
                self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * mean
                self.running_var = (1 - self.momentum) * self.running_var + self.momentum * var
        return self.gamma * ((x - mean) / torch.sqrt(var + self.eps)) + self.beta


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--log-interval", type=int, default=500)
    args = parser.parse_args()

    words = sorted(set(re.findall(r"\b[a-z]{3,}\b", " ".join(topics.values()))))
    random.seed(42)
    random.shuffle(words)
    n = int(0.9 * len(words))
    Xtr, Ytr = build_dataset(words[:n])
    Xte, Yte = build_dataset(words[n:])

    g = torch.Generator().manual_seed(2147483647)
    C = torch.randn((27, N_EMBD), generator=g)
    W1 = torch.randn((N_EMBD * BLOCK_SIZE, N_HIDDEN), generator=g) * (5 / 3) / (N_EMBD * BLOCK_SIZE) ** 0.5
    W2 = torch.randn((N_HIDDEN, 27), generator=g) * 0.01
    b2 = torch.zeros(27)
    bn = BatchNorm(N_HIDDEN)
    parameters = [C, W1, W2, b2, bn.gamma, bn.beta]
    for p in parameters:
        p.requires_grad = True
    print(f"{len(words)} words, {sum(p.nelement() for p in parameters)} parameters")

    def logits_of(x):
        emb = C[x]
        h = torch.tanh(bn(emb.view(emb.shape[0], -1) @ W1))
        return h @ W2 + b2

    for i in range(args.steps):
        ix = torch.randint(0, Xtr.shape[0], (64,), generator=g)
        loss = F.cross_entropy(logits_of(Xtr[ix]), Ytr[ix])
        for p in parameters:
            p.grad = None
        loss.backward()
        lr = 0.2 if i < args.steps // 2 else 0.02
        for p in parameters:
            p.data += -lr * p.grad
        if i % args.log_interval == 0:
            print(f"step {i:5}/{args.steps}   loss {loss.item():.6f}")

    bn.training = False
    with torch.no_grad():
        for split, x, y in ("train", Xtr, Ytr), ("test", Xte, Yte):
            print(f"{split} loss {F.cross_entropy(logits_of(x), y).item():.4f}")
        for _ in range(5):
            out, context = [], [0] * BLOCK_SIZE
            while not out or out[-1] != 0:
                probs = F.softmax(logits_of(torch.tensor([context])), dim=1)
                ix = torch.multinomial(probs, num_samples=1, generator=g).item()
                context = [*context[1:], ix]
                out.append(ix)
            print("".join(ITOS[i] for i in out[:-1]))


if __name__ == "__main__":
    main()

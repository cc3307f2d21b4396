"""A small GPT learns to write Python's help texts, character by character: tied weights, decay groups, clipping.

python examples/tutorials/char_gpt.py
"""

import argparse
import math
from pydoc_data.topics import topics

import autograd_ops as torch
import autograd_ops.nn as nn
from autograd_ops.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, block_size):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.n_head = n_head
        self.register_buffer("bias", torch.tril(torch.ones(block_size, block_size)).view(1, 1, block_size, block_size))

    def forward(self, x):
        B, T, C = x.size()
        heads = (t.view(B, T, self.n_head, C // self.n_head) for t in self.c_attn(x).split(C, dim=2))
        q, k, v = (t.transpose(1, 2) for t in heads)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, n_embd, n_head, block_size):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention(n_embd, n_head, block_size)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, vocab_size, block_size=32, n_layer=2, n_head=4, n_embd=64):
        super().__init__()
        self.block_size = block_size
        self.wte, self.wpe = nn.Embedding(vocab_size, n_embd), nn.Embedding(block_size, n_embd)
        self.blocks = nn.Sequential(*[Block(n_embd, n_head, block_size) for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        self.apply(self._init_weights)
        self.wte.weight = self.lm_head.weight  # one table for reading and writing

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, idx, targets=None):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1), device=idx.device))
        logits = self.lm_head(self.ln_f(self.blocks(x)))
        loss = None if targets is None else F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, max_new_tokens, top_k=10):
        for _ in range(max_new_tokens):
            logits = self(idx[:, -self.block_size :])[0][:, -1, :]
            v, _ = torch.topk(logits, top_k)
            logits[logits < v[:, [-1]]] = -float("Inf")
            probs = F.softmax(logits, dim=-1)
            idx = torch.cat((idx, torch.multinomial(probs, num_samples=1)), dim=1)
        return idx


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--log-interval", type=int, default=50)
    args = parser.parse_args()
    torch.manual_seed(1337)

    text = "".join(topics[key] for key in sorted(topics)).encode("ascii", "ignore").decode()
    itos = sorted(set(text))
    data = torch.tensor([itos.index(ch) for ch in text], dtype=torch.long)
    train_data, val_data = data[: int(0.9 * len(data))], data[int(0.9 * len(data)) :]
    model = GPT(len(itos))

    def get_batch(data, batch_size=16):
        ix = torch.randint(len(data) - model.block_size, (batch_size,))
        chunks = torch.stack([data[i : i + model.block_size + 1] for i in ix])
        return chunks[:, :-1], chunks[:, 1:].contiguous()

    def warmup_then_cosine(it):
        return min((it + 1) / 20, 0.1 + 0.45 * (1 + math.cos(math.pi * it / args.steps)))

    decay = [p for p in model.parameters() if p.dim() >= 2]
    no_decay = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": decay, "weight_decay": 0.1}, {"params": no_decay, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95))
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, warmup_then_cosine)
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {len(itos)} characters")
    for it in range(args.steps):
        _, loss = model(*get_batch(train_data))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        if it % args.log_interval == 0:
            print(f"step {it:4}   loss {loss.item():.6f}")

    model.eval()
    with torch.no_grad():
        loss = sum(model(*get_batch(val_data))[1].item() for _ in range(10)) / 10
    print(f"validation: {loss / math.log(2):.3f} bits per character")
    print("".join(itos[i] for i in model.generate(torch.tensor([[itos.index(" ")]]), 200)[0].tolist()))


if __name__ == "__main__":
    main()

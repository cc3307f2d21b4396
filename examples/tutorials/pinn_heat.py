"""A network that obeys the heat equation u_t = u_xx / pi^2: its loss has the network's own second derivatives.

python examples/tutorials/pinn_heat.py

From u(x, 0) = sin(pi x), with u = 0 at both ends, the exact solution is exp(-t) sin(pi x).
"""

import argparse
import math

import autograd_ops as torch
import autograd_ops.nn as nn
from autograd_ops.autograd import grad


class PINN(nn.Module):
    def __init__(self, layers=(2, 24, 24, 1)):
        super().__init__()
        self.linears = nn.ModuleList([nn.Linear(layers[i], layers[i + 1]) for i in range(len(layers) - 1)])
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.xavier_normal_(m.weight.data)
                nn.init.zeros_(m.bias.data)

    def forward(self, x, t):
        a = torch.cat([x, t], dim=1)
        for linear in self.linears[:-1]:
            a = torch.tanh(linear(a))
        return self.linears[-1](a)


def residual(model, x, t):
    """u_t - u_xx / pi^2, which a solution makes 0"""
    x = x.clone().requires_grad_(True)
    t = t.clone().requires_grad_(True)
    u = model(x, t)
    u_t = grad(u, t, grad_outputs=torch.ones_like(u), create_graph=True)[0]
    u_x = grad(u, x, grad_outputs=torch.ones_like(u), create_graph=True)[0]
    u_xx = grad(u_x, x, grad_outputs=torch.ones_like(u_x), create_graph=True)[0]
    return u_t - u_xx / math.pi**2


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--log-interval", type=int, default=100)
    args = parser.parse_args()

    torch.manual_seed(123)
    model = PINN()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.05 ** (1 / args.steps))
    x_inside, t_inside = 2 * torch.rand(400, 1) - 1, torch.rand(400, 1)
    x_start = torch.linspace(-1, 1, 50).reshape(-1, 1)
    t_ends = torch.linspace(0, 1, 50).reshape(-1, 1)

    for step in range(args.steps):
        optimizer.zero_grad()
        equation = residual(model, x_inside, t_inside).square().mean()
        start = (model(x_start, torch.zeros_like(x_start)) - torch.sin(math.pi * x_start)).square().mean()
        ends = sum(model(torch.full_like(t_ends, x), t_ends).square().mean() for x in (-1.0, 1.0))
        loss = equation + 10 * start + 10 * ends
        loss.backward()
        optimizer.step()
        scheduler.step()
        if step % args.log_interval == 0:
            print(f"step {step:4}   loss {loss.item():.8f}   equation {equation.item():.8f}")

    x, t = torch.meshgrid(torch.linspace(-1, 1, 41), torch.linspace(0, 1, 41), indexing="ij")
    exact = torch.exp(-t) * torch.sin(math.pi * x)
    with torch.no_grad():
        u = model(x.reshape(-1, 1), t.reshape(-1, 1)).reshape(41, 41)
    print(f"relative error against the exact solution: {(torch.norm(u - exact) / torch.norm(exact)).item():.4f}")


if __name__ == "__main__":
    main()

"""Fit a polynomial to the sine, in the six ways in which PyTorch's own first tutorial does it.

python examples/tutorials/polynomial.py                 # each way in turn
python examples/tutorials/polynomial.py --way function  # an op of one's own, the Legendre polynomial P3
"""

import argparse
import math
import random

import autograd_ops as torch


def cubic(x, a, b, c, d):
    return a + b * x + c * x**2 + d * x**3


def manual(x, y, steps):
    """Gradients by hand: no tape at all."""
    a, b, c, d = (torch.tensor(start) for start in (0.1, 0.8, -0.1, -0.1))
    learning_rate = 1e-6
    for _ in range(steps):
        y_pred = cubic(x, a, b, c, d)
        yield (y_pred - y).pow(2).sum().item()
        grad_y_pred = 2.0 * (y_pred - y)
        a -= learning_rate * grad_y_pred.sum()
        b -= learning_rate * (grad_y_pred * x).sum()
        c -= learning_rate * (grad_y_pred * x**2).sum()
        d -= learning_rate * (grad_y_pred * x**3).sum()


def autograd(x, y, steps, curve, starts, learning_rate):
    """Gradients by the tape, updates by hand, of any curve of four numbers."""
    a, b, c, d = (torch.full((), start, requires_grad=True) for start in starts)
    for _ in range(steps):
        loss = (curve(x, a, b, c, d) - y).pow(2).sum()
        yield loss.item()
        loss.backward()
        with torch.no_grad():
            for weight in (a, b, c, d):
                weight -= learning_rate * weight.grad
                weight.grad = None


class LegendrePolynomial3(torch.autograd.Function):
    """P3(x) = (5 x^3 - 3 x) / 2, with its derivative 1.5 (5 x^2 - 1)."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * (5 * x**3 - 3 * x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * x**2 - 1)


def legendre(x, a, b, c, d):
    return a + b * LegendrePolynomial3.apply(c + d * x)


def with_modules(x, y, steps, model, optimizer=None):
    """The model is of modules; updates by hand, or by an optimizer."""
    loss_fn = torch.nn.MSELoss(reduction="sum")
    for _ in range(steps):
        loss = loss_fn(model(x), y)
        yield loss.item()
        model.zero_grad()
        loss.backward()
        if optimizer:
            optimizer.step()
        else:
            with torch.no_grad():
                for param in model.parameters():
                    param -= 1e-6 * param.grad


class DynamicNet(torch.nn.Module):
    """a + b x + c x^2 + d x^3, and now and then e x^4 and e x^5: parameters in a list, used as often as it happens."""

    def __init__(self):
        super().__init__()
        self.weights = torch.nn.ParameterList([torch.nn.Parameter(torch.zeros(())) for _ in range(5)])

    def forward(self, x):
        a, b, c, d, e = self.weights
        return cubic(x, a, b, c, d) + sum(e * x**exponent for exponent in range(4, random.randint(4, 6)))


def main():
    ways = ("manual", "autograd", "function", "nn", "optim", "module")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--way", choices=ways)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--log-interval", type=int, default=500)
    args = parser.parse_args()

    x = torch.linspace(-math.pi, math.pi, 2000)
    y = torch.sin(x)
    for way in [args.way] if args.way else ways:
        torch.manual_seed(0)
        random.seed(0)
        if way == "manual":
            losses = manual(x, y, args.steps)
        elif way == "autograd":
            losses = autograd(x, y, args.steps, cubic, (0.1, 0.8, -0.1, -0.1), 1e-6)
        elif way == "function":
            losses = autograd(x, y, args.steps, legendre, (0.0, -1.0, 0.0, 0.3), 5e-6)
        elif way == "module":
            model = DynamicNet()
            losses = with_modules(x, y, args.steps, model, torch.optim.SGD(model.parameters(), lr=1e-8, momentum=0.9))
        else:
            xx = x.unsqueeze(-1).pow(torch.tensor([1, 2, 3]))
            model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
            optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3) if way == "optim" else None
            losses = with_modules(xx, y, args.steps, model, optimizer)
        for step, loss in enumerate(losses, 1):
            if step % args.log_interval == 0:
                print(f"{way}: step {step:4}   loss {loss:.6f}")
        print(f"{way}: mean square error {loss / len(x):.5f}")


if __name__ == "__main__":
    main()

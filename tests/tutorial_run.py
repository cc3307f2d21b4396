"""Run a tutorial program from starts that do not depend on whose random numbers they are.

    python tests/tutorial_run.py examples/tutorials/moons.py --steps 10
    python tests/tutorial_run.py --torch examples/tutorials/moons.py --steps 10

With ``--torch`` the program's imports are PyTorch's; that is how the numbers in test_tutorials.py were made. What
programs draw (initial parameters, orders of samples, latent numbers) comes from NumPy's RandomState in either case, and
so do the texts, as Python's help differs from version to version.
"""

import importlib
import pydoc_data.topics
import re
import sys

import numpy as np


def draw_with_numpy(torch, seed=0):
    """Have `torch`, either library, draw from NumPy, and every optimizer begin with parameters from there."""
    numbers = np.random.RandomState(seed)

    def shape_of(size):
        return tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size

    def leaf(array, requires_grad=False):
        return torch.tensor(array, dtype=torch.float32, requires_grad=requires_grad)

    def randn(*size, generator=None, requires_grad=False):
        return leaf(numbers.randn(*shape_of(size)), requires_grad)

    def rand(*size, generator=None, requires_grad=False):
        return leaf(numbers.rand(*shape_of(size)), requires_grad)

    def randint(*bounds_and_size, generator=None):
        *bounds, size = bounds_and_size
        return torch.tensor(numbers.randint(*bounds, size=tuple(size)))

    def randperm(n, generator=None, device=None):
        return torch.tensor(numbers.permutation(n))

    def randn_like(x):
        return randn(*x.shape)

    def begin(optimizer, *args, **kwargs):
        began(optimizer, *args, **kwargs)
        with torch.no_grad():
            for group in optimizer.param_groups:
                for p in group["params"]:
                    bound = 1 / max(1, p.shape[-1] if p.ndim else 1) ** 0.5
                    p.copy_(torch.tensor(numbers.uniform(-bound, bound, tuple(p.shape))))

    for function in (randn, rand, randint, randperm, randn_like):
        setattr(torch, function.__name__, function)
    optimizer_class = importlib.import_module(f"{torch.__name__}.optim").Optimizer
    began, optimizer_class.__init__ = optimizer_class.__init__, begin
    for module in ("sampler", "dataset"):  # which may have imported it by name
        importlib.import_module(f"{torch.__name__}.utils.data.{module}").randperm = randperm


def write_texts(words=400, seed=1):
    """Have Python's help be of words that are drawn."""
    numbers = np.random.RandomState(seed)
    letters = list("aabcdeeefghiiklmnooprsttuwy")
    lengths = numbers.randint(3, 9, words)
    text = " ".join("".join(numbers.choice(letters, length)) for length in lengths)
    pydoc_data.topics.topics = {"text": text}


def main():
    library = "autograd_ops"
    if sys.argv[1] == "--torch":
        del sys.argv[1]
        library = "torch"
    del sys.argv[0]
    with open(sys.argv[0]) as file:
        source = re.sub(r"\bautograd_ops\b", library, file.read())
    draw_with_numpy(importlib.import_module(library))
    write_texts()
    exec(compile(source, sys.argv[0], "exec"), {"__name__": "__main__", "__doc__": ""})


if __name__ == "__main__":
    main()

"""The programs of examples/tutorials, as users run them, and step by step beside PyTorch."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TUTORIALS = ROOT / "examples" / "tutorials"

#: The losses of the first steps in PyTorch 2.13 (CPU), from ``python tests/tutorial_run.py --torch PROGRAM OPTIONS``.
PYTORCH = {
    "polynomial --way function --steps 5 --log-interval 1": [
        461.902588,
        323.863892,
        310.279816,
        305.264801,
        302.630005,
    ],
    "polynomial --way optim --steps 5 --log-interval 1": [
        6081.264648,
        5277.291992,
        4783.420898,
        4419.057617,
        4129.240723,
    ],
    "polynomial --way module --steps 5 --log-interval 1": [
        37180.085938,
        34386.054688,
        6179.925293,
        29339.884766,
        224136.9375,
    ],
    "moons --steps 10": [
        1.049514,
        1.244478,
        0.986979,
        0.450550,
        0.387981,
        0.360290,
        0.348120,
        0.338779,
        0.332972,
        0.329689,
    ],
    "digits_mlp --epochs 1 --log-interval 1": [
        2.321375,
        2.329093,
        2.318010,
        2.289897,
        2.294116,
        2.279428,
        2.265300,
        2.258939,
        2.246090,
        2.255010,
    ],
    "digits_lstm --epochs 1 --log-interval 1": [
        2.322805,
        2.300178,
        2.290693,
        2.246291,
        2.173456,
        2.202303,
        1.868742,
        2.029519,
        1.986674,
        1.872527,
    ],
    "digits_vae --epochs 1 --log-interval 1": [
        44.556976,
        42.734962,
        41.336277,
        39.996841,
        38.817505,
        37.604504,
        36.108612,
        35.361412,
        34.731636,
        33.543980,
    ],
    "names_bigram --steps 10 --log-interval 1": [
        2.853822,
        3.766276,
        3.518249,
        3.364891,
        3.258800,
        3.181909,
        3.124782,
        3.081701,
        3.048841,
        3.023145,
    ],
    "names_mlp --steps 10 --log-interval 1": [
        3.292250,
        3.276456,
        3.276563,
        3.213249,
        3.183598,
        3.131515,
        3.080659,
        3.159822,
        3.141877,
        3.122288,
    ],
    "char_gpt --steps 10 --log-interval 1": [
        3.095863,
        3.091251,
        3.088454,
        3.089545,
        3.081593,
        3.078653,
        3.073141,
        3.058549,
        3.060647,
        3.061617,
    ],
    "sine_lbfgs --steps 6 --max-iter 4": [0.54056527, 0.07491756, 0.02260713, 0.00461710, 0.00289574, 0.00189258],
    "ctc_digits --steps 10 --log-interval 1": [
        14.018888,
        11.543649,
        6.657042,
        2.881894,
        3.260946,
        3.787737,
        3.862794,
        3.613422,
        3.265621,
        2.962011,
    ],
    "gan_digits --epochs 1 --log-interval 1": [
        0.710038,
        0.699131,
        0.682124,
        0.697345,
        0.651096,
        0.696642,
        0.628220,
        0.696450,
        0.600926,
        0.696198,
    ],
    "pinn_heat --steps 10 --log-interval 1": [
        15.41000938,
        11.06112957,
        8.77140903,
        7.48236084,
        6.69991064,
        6.19851112,
        5.86707640,
        5.64380932,
        5.49125719,
        5.38571644,
    ],
}

NUMBER = r"(-?\d+\.\d+)"


def run(*command):
    """What a program prints, with warnings as errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *map(str, command)],
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # several tests at a time would wait for each other
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_program_is_tested():
    programs = {path.stem for path in TUTORIALS.glob("*.py")}
    assert programs == {program for program, *_ in LEARNED}
    assert {call.split()[0] for call in PYTORCH} == programs - {"digits_cnn"}  # which draws what dropout drops


@pytest.mark.parametrize("call", PYTORCH)
def test_first_losses_are_pytorchs(call):
    program, *options = call.split()
    printed = run(ROOT / "tests" / "tutorial_run.py", TUTORIALS / f"{program}.py", *options)
    losses = [float(loss) for loss in re.findall(rf"loss:? +{NUMBER}", printed)]
    expected = PYTORCH[call]
    assert losses[: len(expected)] == pytest.approx(expected, rel=2e-5)


# A program, its options, what it prints of the number that counts, and between what this must lie.
LEARNED = [
    ("polynomial", "--steps 1000 --way function", rf"mean square error {NUMBER}", 0.0, 0.02),
    ("moons", "--steps 60", rf"final accuracy {NUMBER}%", 92.0, 100.0),
    ("digits_mlp", "--epochs 3", rf"test accuracy {NUMBER}%   mean loss [\d.]+\n$", 93.0, 100.0),
    ("digits_cnn", "--epochs 2", rf"accuracy {NUMBER}%\n$", 90.0, 100.0),
    ("digits_lstm", "--epochs 3", rf"test accuracy {NUMBER}%", 70.0, 100.0),
    ("digits_vae", "--epochs 4", rf"test loss {NUMBER}", 20.0, 28.5),
    ("names_bigram", "--steps 60", rf"learned: loss {NUMBER}", 2.3, 2.6),
    ("names_mlp", "--steps 500", rf"test loss {NUMBER}", 2.0, 2.5),
    ("char_gpt", "--steps 90", rf"{NUMBER} bits per character", 2.0, 4.0),
    ("sine_lbfgs", "--steps 2", rf"loss {NUMBER}.*\n$", 0.0, 0.02),
    ("ctc_digits", "--steps 40 --log-interval 39", rf"step  39   loss {NUMBER}", 1.0, 3.0),
    ("gan_digits", "--epochs 5", rf"mean distance from the nearest real digit {NUMBER}", 2.0, 4.5),
    ("pinn_heat", "--steps 300", rf"relative error against the exact solution: {NUMBER}", 0.0, 0.4),
]


@pytest.mark.parametrize(("program", "options", "pattern", "least", "most"), LEARNED, ids=[case[0] for case in LEARNED])
def test_learns(program, options, pattern, least, most):
    printed = run(TUTORIALS / f"{program}.py", *options.split())
    found = re.search(pattern, printed)
    assert found, printed
    assert least <= float(found[1]) <= most, printed

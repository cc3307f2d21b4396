"""Data sets, samplers, collating and the loader."""

import threading
from collections import OrderedDict, defaultdict, namedtuple

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops.utils import data

Point = namedtuple("Point", "x y")


def generator(seed=0):
    return ag.Generator().manual_seed(seed)


class Squares(data.Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(f"there is no square {i}")
        return ag.tensor(float(i * i)), i


class Numbers(data.IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n))


def tensors(n=10, device="cpu"):
    return data.TensorDataset(
        ag.arange(n * 2, dtype=ag.float32, device=device).reshape(n, 2), ag.arange(n, device=device)
    )


def as_lists(loader):
    return [[part.tolist() for part in batch] for batch in loader]


# ---------------------------------------------------------------- data sets


def test_tensor_dataset():
    x, y = tensors()[3]
    assert x.tolist() == [6.0, 7.0]
    assert y.tolist() == 3
    assert len(tensors()) == 10


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: data.TensorDataset(), "give at least one tensor"),
        (lambda: data.TensorDataset(ag.zeros(2), ag.zeros(3)), r"different lengths: \[2, 3\]"),
        (lambda: data.TensorDataset(ag.tensor(1.0)), "0-d tensor has no first dimension"),
        (lambda: data.ConcatDataset([]), "give at least one data set"),
    ],
)
def test_bad_data_sets(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_concat_dataset():
    both = Squares(2) + tensors(3)
    assert isinstance(both, data.ConcatDataset)
    assert len(both) == 5
    assert both[1][1] == 1
    assert both[2][1].item() == 0
    assert both[-1][1].item() == 2
    for index in (5, -6):
        with pytest.raises(IndexError, match=f"index {index} is out of range for 5 samples"):
            both[index]
    with pytest.raises(TypeError, match="no samples by number"):
        data.ConcatDataset([Numbers(2)])


def test_subset():
    part = data.Subset(Squares(10), [5, 7])
    assert [i for _, i in (part[0], part[1])] == [5, 7]
    assert len(part) == 2


@pytest.mark.parametrize(
    ("n", "lengths", "expected"),
    [
        (10, [7, 3], [7, 3]),
        (10, [0.75, 0.25], [8, 2]),
        (11, [0.5, 0.5], [6, 5]),
        (10, [1 / 3, 1 / 3, 1 / 3], [4, 3, 3]),
        (10, [10, 0], [10, 0]),
    ],
)
def test_random_split(n, lengths, expected):
    parts = data.random_split(range(n), lengths, generator())
    assert [len(part) for part in parts] == expected
    assert sorted(i for part in parts for i in part.indices) == list(range(n))
    again = data.random_split(range(n), lengths, generator())
    assert [part.indices for part in parts] == [part.indices for part in again]
    assert parts[0].indices != sorted(parts[0].indices)


@pytest.mark.parametrize(
    ("lengths", "says"),
    [
        ([7, 2], "add up to 9, not to 10 samples"),
        ([0.5, 0.4], "add up to 0.9, not to 1"),
        ([11, -1], "a length is negative"),
    ],
)
def test_bad_splits(lengths, says):
    with pytest.raises(ValueError, match=says):
        data.random_split(range(10), lengths)


def test_base_classes():
    with pytest.raises(NotImplementedError, match="Dataset does not override __getitem__"):
        data.Dataset()[0]
    for base in (data.IterableDataset, data.Sampler):
        with pytest.raises(NotImplementedError, match="does not override __iter__"):
            iter(base())


# ---------------------------------------------------------------- samplers


def test_random_sampler():
    sampler = data.RandomSampler(range(20), generator=generator())
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second
    assert list(data.RandomSampler(range(20), generator=generator())) == first
    assert len(sampler) == 20


def test_random_sampler_of_another_number():
    more = data.RandomSampler(range(3), num_samples=7, generator=generator())
    drawn = list(more)
    assert len(drawn) == len(more) == 7
    assert sorted(drawn[:3]) == sorted(drawn[3:6]) == [0, 1, 2]
    again = list(data.RandomSampler(range(3), replacement=True, num_samples=50, generator=generator()))
    assert len(again) == 50
    assert set(again) == {0, 1, 2}
    assert list(data.RandomSampler([])) == []
    with pytest.raises(ValueError, match="num_samples must be at least 1, not 0"):
        data.RandomSampler(range(3), num_samples=0)


def test_the_global_seed_sets_the_order():
    orders = []
    for seed in (0, 0, 1):
        ag.manual_seed(seed)
        orders.append(list(data.RandomSampler(range(20))))
    assert orders[0] == orders[1] != orders[2]


def test_weighted_random_sampler():
    sampler = data.WeightedRandomSampler([1.0, 0.0, 3.0], 4000, generator=generator())
    counts = np.bincount(list(sampler), minlength=3)
    assert len(sampler) == 4000
    assert counts[1] == 0
    assert abs(counts[2] / 4000 - 0.75) < 0.03
    without = data.WeightedRandomSampler(ag.tensor([0.5, 0.0, 2.0]), 2, replacement=False, generator=generator())
    assert sorted(without) == [0, 2]
    with pytest.raises(ValueError, match=r"weights must be one row, got shape \(1, 2\)"):
        data.WeightedRandomSampler([[1.0, 2.0]], 2)
    with pytest.raises(ValueError, match="num_samples must be at least 1"):
        data.WeightedRandomSampler([1.0], 0)


def test_batch_sampler():
    assert list(data.BatchSampler("abcde", 2, True)) == [["a", "b"], ["c", "d"]]
    for drop_last, count in [(True, 2), (False, 3)]:
        sampler = data.BatchSampler(data.SequentialSampler(range(5)), 2, drop_last)
        assert len(sampler) == len(list(sampler)) == count
    for size in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="batch_size must be an integer of at least 1"):
            data.BatchSampler(range(5), size, False)


# ---------------------------------------------------------------- collating


def test_default_collate():
    batch = data.default_collate(
        [
            {"t": ag.ones(2), "a": np.zeros(1), "i": 1, "f": 0.5, "b": True, "s": "x", "p": Point(1, 2), "u": (1, "a")},
            {
                "t": ag.zeros(2),
                "a": np.ones(1),
                "i": 2,
                "f": 1.5,
                "b": False,
                "s": "y",
                "p": Point(3, 4),
                "u": (2, "b"),
            },
        ]
    )
    assert batch["t"].tolist() == [[1, 1], [0, 0]]
    assert batch["a"].tolist() == [[0], [1]]
    assert batch["s"] == ["x", "y"]
    assert type(batch["p"]) is Point
    assert batch["p"].y.tolist() == [2, 4]
    assert batch["u"][0].tolist() == [1, 2]
    assert batch["u"][1] == ["a", "b"]
    dtypes = {name: batch[name].dtype for name in "taifb"}
    assert dtypes == {"t": ag.float32, "a": ag.float64, "i": ag.int64, "f": ag.float64, "b": ag.bool_}
    assert data.default_collate([np.float32(1), np.float32(2)]).dtype == ag.float32


@pytest.mark.parametrize(
    ("batch", "error", "says"),
    [
        ([ag.zeros(2), ag.zeros(3)], ValueError, r"differ in shape: \(2,\) and \(3,\)"),
        ([(1, 2), (1,)], ValueError, r"differ in length: \[1, 2\]"),
        ([{"a": 1}, {"b": 1}], ValueError, r"differ in keys: \['a'\] and \['b'\]"),
        ([None, None], TypeError, "holds a NoneType; give the DataLoader a collate_fn"),
    ],
)
def test_what_cannot_be_collated(batch, error, says):
    with pytest.raises(error, match=says):
        data.default_collate(batch)


def test_default_convert():
    converted = data.default_convert({"a": np.ones(1), "p": Point(np.zeros(1), "s"), "l": [np.ones(1), 3]})
    assert converted["a"].tolist() == [1.0]
    assert converted["p"].x.tolist() == [0.0]
    assert converted["l"][1] == 3


# ---------------------------------------------------------------- the loader


@pytest.mark.parametrize("workers", [0, 1, 3])
@pytest.mark.parametrize("make", [lambda: tensors(), lambda: Squares(10), lambda: data.Subset(tensors(20), range(10))])
def test_loader(make, workers):
    loader = data.DataLoader(make(), batch_size=4, num_workers=workers)
    batches = as_lists(loader)
    assert [numbers for _, numbers in batches] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert batches == as_lists(loader)
    assert len(loader) == 3
    assert len(data.DataLoader(make(), batch_size=4, drop_last=True, num_workers=workers)) == 2
    assert len(as_lists(data.DataLoader(make(), batch_size=4, drop_last=True, num_workers=workers))) == 2


@pytest.mark.parametrize("workers", [0, 2])
def test_shuffling_repeats_with_the_seed(workers):
    def orders(seed, source):
        loader = data.DataLoader(source, 4, shuffle=True, num_workers=workers, generator=generator(seed))
        return [[number for _, numbers in as_lists(loader) for number in numbers] for _ in range(2)]

    first, second = orders(0, tensors())
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second
    assert orders(0, tensors()) == orders(0, Squares(10)) == [first, second]
    assert orders(1, tensors()) != [first, second]


def test_whole_batches_are_taken_as_they_are_collated():
    source = tensors()
    loaders = [data.DataLoader(source, 3), data.DataLoader(source, 3, collate_fn=data.default_collate)]
    for fast, slow in zip(*loaders, strict=True):
        assert type(fast) is type(slow) is list
        for a, b in zip(fast, slow, strict=True):
            assert a.dtype == b.dtype
            assert a.tolist() == b.tolist()


def test_batches_share_no_memory_with_the_data():
    source = tensors()
    for x, _ in data.DataLoader(source, batch_size=10):
        x.zero_()
    assert source[1][0].tolist() == [2.0, 3.0]


def test_a_subclass_makes_its_own_samples():
    class Doubled(data.TensorDataset):
        def __getitem__(self, i):
            return tuple([2 * x for x in super().__getitem__(i)])

    ((x,),) = data.DataLoader(Doubled(ag.arange(3)), batch_size=3)
    assert x.tolist() == [0, 2, 4]


def test_loader_on_the_strict_device():
    ((x, y), *_) = data.DataLoader(tensors(device="strict:device1"), batch_size=4, shuffle=True)
    assert x.device == y.device == "strict:device1"
    assert x.tolist() == [[2.0 * i, 2.0 * i + 1] for i in y.tolist()]


def test_samplers_and_batch_samplers():
    loader = data.DataLoader(Squares(10), batch_size=2, sampler=[3, 1, 2])
    assert [numbers for _, numbers in as_lists(loader)] == [[3, 1], [2]]
    assert len(loader) == 2
    loader = data.DataLoader(tensors(), batch_sampler=[(3, 1), (2,)])
    assert [numbers for _, numbers in as_lists(loader)] == [[3, 1], [2]]
    assert len(loader) == 2


def test_collate_fn():
    assert list(data.DataLoader(range(4), batch_size=3, collate_fn=sum)) == [3, 3]


@pytest.mark.parametrize("workers", [0, 2])
def test_single_samples(workers):
    loader = data.DataLoader([np.ones(2), "a"], batch_size=None, num_workers=workers)
    array, text = loader
    assert array.tolist() == [1.0, 1.0]
    assert text == "a"
    assert len(loader) == 2
    assert list(data.DataLoader(Numbers(3), batch_size=None, num_workers=workers)) == [0, 1, 2]


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_iterable_data_sets(workers):
    loader = data.DataLoader(Numbers(5), batch_size=2, num_workers=workers)
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4]]
    with pytest.raises(TypeError, match="len"):
        len(loader)


@pytest.mark.parametrize("workers", [0, 2])
def test_errors_pass_through_in_their_turn(workers):
    loader = data.DataLoader(Squares(3), batch_size=1, sampler=[0, 1, 7, 2], num_workers=workers)
    seen = []
    with pytest.raises(IndexError, match="there is no square 7"):
        seen.extend(numbers.item() for _, numbers in loader)
    assert seen == [0, 1]


def test_threads_end_with_the_loop():
    before = threading.active_count()
    batches = iter(data.DataLoader(Squares(100), num_workers=3, prefetch_factor=4))
    next(batches)
    assert threading.active_count() > before
    batches.close()
    assert threading.active_count() == before


def test_workers_are_started():
    started = []
    loader = data.DataLoader(Squares(4), num_workers=2, worker_init_fn=started.append)
    assert len(list(loader)) == 4
    assert started == [0, 1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"batch_size": 0}, "batch_size must be an integer of at least 1, not 0"),
        ({"num_workers": -1}, "num_workers must be at least 0, not -1"),
        ({"prefetch_factor": 0}, "prefetch_factor must be at least 1, not 0"),
        ({"shuffle": True, "sampler": [0]}, "shuffle cannot be given beside it"),
        ({"batch_sampler": [[0]], "batch_size": 2}, "cannot be given beside it"),
        ({"batch_size": None, "drop_last": True}, "there is no last one to drop"),
    ],
)
def test_bad_options(options, says):
    with pytest.raises(ValueError, match=says):
        data.DataLoader(Squares(3), **options)


def test_iterable_data_sets_set_their_own_order():
    with pytest.raises(ValueError, match="sets its own order"):
        data.DataLoader(Numbers(3), shuffle=True)


def test_options_of_pytorch_that_do_nothing():
    loader = data.DataLoader(
        Squares(2), pin_memory=True, timeout=1.0, persistent_workers=True, pin_memory_device="cuda", in_order=False
    )
    assert len(list(loader)) == 2


def test_sampling_with_replacement_may_be_without_end():
    indices = iter(data.RandomSampler(range(3), replacement=True, num_samples=10**10))
    assert {next(indices) for _ in range(100)} == {0, 1, 2}


# ---------------------------------------------------------------- more kinds of data sets, samplers and samples


class Letters(data.IterableDataset):
    def __init__(self, letters):
        self.letters = letters

    def __iter__(self):
        return iter(self.letters)

    def __len__(self):
        return len(self.letters)


def test_iterable_data_sets_in_a_chain():
    chain = Letters("ab") + Letters("c")
    assert isinstance(chain, data.ChainDataset)
    assert list(chain) == ["a", "b", "c"]
    assert len(chain) == 3
    assert list(data.DataLoader(chain, batch_size=2)) == [["a", "b"], ["c"]]
    with pytest.raises(TypeError, match="takes IterableDatasets, not a str"):
        list(data.ChainDataset(["ab"]))


def test_data_sets_side_by_side():
    pairs = data.StackDataset("abc", [1, 2, 3])
    assert pairs[2] == ("c", 3)
    assert len(pairs) == 3
    batch = next(iter(data.DataLoader(data.StackDataset(x=[1, 2], name="ab"), batch_size=2)))
    assert batch["x"].tolist() == [1, 2]
    assert batch["name"] == ["a", "b"]
    with pytest.raises(ValueError, match="of different lengths"):
        data.StackDataset("ab", "c")
    with pytest.raises(ValueError, match="not both"):
        data.StackDataset()


def test_distributed_sampler():
    parts = [data.DistributedSampler(range(7), num_replicas=3, rank=rank, seed=5) for rank in range(3)]
    drawn = [list(part) for part in parts]
    assert [len(part) for part in parts] == [len(numbers) for numbers in drawn] == [3, 3, 3]
    assert {i for numbers in drawn for i in numbers} == set(range(7))
    assert list(parts[0]) == drawn[0]
    parts[0].set_epoch(1)
    assert list(parts[0]) != drawn[0]
    assert len(data.DistributedSampler(range(7), num_replicas=3, rank=0, drop_last=True)) == 2
    assert list(data.DistributedSampler(range(2), num_replicas=5, rank=4, shuffle=False)) == [0]
    assert list(data.DistributedSampler(range(3), shuffle=False)) == [0, 1, 2]
    with pytest.raises(ValueError, match="rank must be at least 0 and below 2, not 2"):
        data.DistributedSampler(range(3), num_replicas=2, rank=2)


def test_worker_info_within_worker_init():
    seen = []

    def prepare(worker):
        info = data.get_worker_info()
        seen.append((worker, info.id, info.num_workers, info.dataset))

    loader = data.DataLoader([1, 2, 3], num_workers=2, worker_init_fn=prepare, persistent_workers=True, pin_memory=True)
    assert [batch.item() for batch in loader] == [1, 2, 3]
    assert seen == [(0, 0, 2, [1, 2, 3]), (1, 1, 2, [1, 2, 3])]
    assert data.get_worker_info() is None
    assert loader.pin_memory
    with pytest.raises(ValueError, match="timeout must be at least 0"):
        data.DataLoader([1], timeout=-1)


def test_a_data_set_that_gives_batches():
    class Batched(data.Dataset):
        def __len__(self):
            return 5

        def __getitems__(self, numbers):
            return [10 * i for i in numbers]

    assert [batch.tolist() for batch in data.DataLoader(Batched(), batch_size=2)] == [[0, 10], [20, 30], [40]]


def test_collating_keeps_the_kind_of_mappings():
    ordered = data.default_collate([OrderedDict(a=1, b=2.0), OrderedDict(a=3, b=4.0)])
    assert type(ordered) is OrderedDict
    assert ordered["a"].tolist() == [1, 3]
    assert ordered["b"].dtype == ag.float64
    counted = data.default_collate([defaultdict(list, a=1), defaultdict(list, a=2)])
    assert counted.default_factory is list
    assert data.default_collate([1j, 2j]).tolist() == [1j, 2j]

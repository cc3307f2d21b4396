"""Work done ahead of time by threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["END", "prefetched"]

#: What a task gives when there is nothing left.
END = object()


def prefetched(tasks: Iterator[Callable[[], Any]], workers: int, ahead: int) -> Iterator[Any]:
    """The results of `tasks`, in their order, with up to ``workers * ahead`` of them under way.

    Parameters
    ----------
    tasks
        Functions without arguments. They are drawn in the thread that asks for results, and run in the pool's; what
        one raises is raised here when its turn comes. The results end with the tasks, or before the first `END`.
    workers
        How many threads there are. They end with the iteration, also if it is broken off.
    ahead
        How many tasks are begun for each thread.
    """
    from concurrent.futures import ThreadPoolExecutor  # which takes longer to import than the rest of this package

    pool = ThreadPoolExecutor(workers, thread_name_prefix="DataLoader")
    under_way: deque[Future[Any]] = deque()
    try:
        under_way.extend(pool.submit(task) for task in islice(tasks, workers * ahead))
        while under_way:
            result = under_way.popleft().result()
            if result is END:
                return
            under_way.extend(pool.submit(task) for task in islice(tasks, 1))
            yield result
    finally:
        pool.shutdown(cancel_futures=True)

"""oneDNN, through its C API by ctypes: fast products, convolutions and more for large arrays of float32.

Used by itself where it is installed (``pip install autograd-ops[onednn]``); ``AUTOGRAD_OPS_ONEDNN=0`` in the
environment leaves all work to NumPy, and ``autograd_ops.show_config()`` says which it is. NumPy does what it declines:
other dtypes, odd layouts, and what it has only a slow reference implementation for.

Rooms: `table` lists the kernels and `thresholds` from what size on they pay; `gate` puts them before NumPy's; `library`
finds and loads; `memory` describes arrays; `plan` makes, caches and runs; `room` is what each thread has of its own;
`threads` counts threads; `helpers` are threads of our own, for work in parts. The rest: one file a family of kernels.

How to add a kernel
-------------------
Three lines of a family's file say what oneDNN is to do, a function calls it, and an entry in `table` and one in
`thresholds` put it to work. Much of ``gelu``::

    # pointwise.py
    def gelu(x: Array, approximate: str) -> Array | None:
        return made(_forward, (_GELU[approximate], 0.0), x.shape, x)

    def _forward(plan: Plan, options: Options, out: Operand, x: Operand) -> None:
        algorithm, alpha = options
        with plan.shared(prod(x.shape)):  # on one thread if it is little
            primitive = plan.primitive("eltwise_forward", FORWARD_INFERENCE, algorithm, x, out, alpha, 0.0)
            plan.step(primitive, {SRC: x, DST: out})

    # table.py: its parameters, its work
    "gelu": Kernel("pointwise:gelu", "x, approximate", "x.size"),

    # thresholds.py
    "gelu": 2_048,

- ``run(build, options, *arrays)`` calls ``build(plan, options, *operands)`` when arrays of these shapes, strides and
  dtypes first come along with these options (anything hashable that the plan depends on), in this thread. It gives
  False where oneDNN refuses, and then the kernel gives None and NumPy does the work. Inputs and outputs are passed
  alike; what may be missing comes last and is left out. `run_copied` tries again with copies in order of the inputs.
- An `Operand` stands for its descriptor, and ``operand.seen_as(*shape, strides=...)`` is the same memory with other
  dimensions: [B, T, C] as rows, a bias [C] as [1, C]. Where the strides of an operand do not allow what you need, raise
  `Refused`. Some implementations ignore the strides of vectors: `in_order` refuses those that are not.
- ``plan.primitive(kind, ...)`` takes what ``dnnl_<kind>_primitive_desc_create`` takes between the engine and the
  attributes (`library.SIGNATURES`; dnnl.h says what each is): operands, ``any_layout(plan.lib, *shape)`` for a layout
  of oneDNN's choice, None for what is absent, ``dims((...))`` for sizes. A backward primitive's hint is the description
  of the forward one, for which ``reference=True`` does no harm. ``post_ops=(("eltwise", ELTWISE_RELU, 0.0, 0.0),)``
  fuses; a ``("binary", BINARY_MUL, operand)`` reads its operand from ``post_op_argument(0)`` in the step.
- ``plan.laid_out(operand, primitive, QUERY_WEIGHTS)`` copies an input into the layout that was chosen;
  ``plan.room_for(...)`` and ``plan.deliver(...)`` do so for an output; ``plan.inside(...)`` is memory between steps.
- Little work belongs into ``with plan.one_thread():``.
- Memory that must outlive the call, such as the workspace from a forward to a backward primitive, is
  ``plan.extra(primitive, QUERY_WORKSPACE)``: get the plan by `prepare`, make an array of ``plan.extras[0]`` bytes, and
  pass it last to ``plan.run(here(), arrays)``.
- Nothing that is passed may be kept: the arrays are the caller's. Outputs come from the backend's `buffers.empty`.
"""

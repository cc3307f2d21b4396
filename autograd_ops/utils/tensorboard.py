"""TensorBoard, which this library does not write for."""

raise ImportError(
    "autograd_ops.utils.tensorboard is not there: the package tensorboardX has a SummaryWriter of the same methods, "
    "which takes numbers and NumPy arrays, such as loss.item() and x.detach().numpy()"
)

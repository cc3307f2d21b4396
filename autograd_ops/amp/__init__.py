"""Mixed precision, by PyTorch's names: everything is computed in the dtype that it has, so scripts run in float32.

What is in half precision is in half precision because it was made so, by ``model.half()`` or ``x.to(float16)``.
"""

from .autocast import autocast, custom_bwd, custom_fwd, is_autocast_available
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

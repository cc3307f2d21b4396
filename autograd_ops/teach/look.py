"""Colours, fonts and the style sheet that all pictures share."""

from __future__ import annotations

__all__ = ["ARROW", "BLUE", "FONT", "GREEN", "GREY", "INK", "LINE", "MONO", "ORANGE", "PAPER", "RED", "SOFT", "STYLE"]

FONT = "system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
MONO = "ui-monospace, 'SFMono-Regular', Menlo, 'Liberation Mono', 'DejaVu Sans Mono', monospace"

PAPER = "#ffffff"
SOFT = "#f4f6f8"  # behind what is set apart
LINE = "#c9d1d9"  # borders
ARROW = "#8c959f"
GREY = "#57606a"  # what is said beside
INK = "#1f2328"
BLUE = "#0b5cad"  # values, and what goes forward
ORANGE = "#b35900"  # gradients, and what goes back
GREEN = "#1a7f37"  # agrees, alive
RED = "#b42318"  # disagrees, clashes, dead

#: Every rule is under ``.ago``, so a notebook's own style stays as it is; and what a notebook sets is set again. Dark
#: themes colour every other row of a table, by rules that only ``!important`` is above.
STYLE = f"""
.ago {{ font: 14px/1.45 {FONT}; color: {INK}; background: {PAPER}; padding: 12px; border-radius: 6px; max-width: 100%;
  box-sizing: border-box; overflow-x: auto; color-scheme: light; }}
.ago * {{ box-sizing: border-box; }}
.ago code, .ago pre, .ago .mono {{ font-family: {MONO}; font-size: 13px; color: inherit; }}
.ago.ago code, .ago.ago pre {{ background: none; padding: 0; border: 0; }}
.ago pre {{ margin: 0; white-space: pre; line-height: inherit; }}
.ago h4 {{ margin: 0 0 6px; font-size: 15px; font-weight: 600; }}
.ago .beside {{ color: {GREY}; }}
.ago .note {{ margin: 8px 0 0; }}
.ago .value {{ color: {BLUE}; }}
.ago .gradient {{ color: {ORANGE}; }}
.ago .good {{ color: {GREEN}; }}
.ago .bad {{ color: {RED}; font-weight: 600; }}
.ago table {{ border-collapse: collapse; table-layout: auto; margin: 6px 0; font-size: inherit; color: inherit;
  font-variant-numeric: tabular-nums; }}
.ago thead, .ago tr {{ background: none !important; border: 0; }}
.ago th, .ago td {{ padding: 3px 10px; text-align: right; vertical-align: baseline; line-height: inherit; border: 0;
  border-bottom: 1px solid {LINE}; background: none; }}
.ago th {{ font-weight: 600; color: {GREY}; }}
.ago button {{ font: inherit; color: {INK}; background: {SOFT}; border: 1px solid {LINE}; border-radius: 5px;
  padding: 3px 12px; cursor: pointer; }}
.ago button:disabled {{ color: {LINE}; cursor: default; }}
.ago button:focus-visible {{ outline: 2px solid {BLUE}; outline-offset: 1px; }}
.ago .scroll {{ overflow-x: auto; }}
"""

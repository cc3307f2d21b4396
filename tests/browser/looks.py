"""What is wrong with how a page looks: labels that overlap, and text that is cut off. Asked of the browser itself."""

from __future__ import annotations

from typing import Any

__all__ = ["clipped_texts", "overlapping_labels"]

#: Visible texts of pictures that share room, by more than a pixel.
_OVERLAPS = """
() => {
  const seen = [...document.querySelectorAll('svg text')].filter(t => t.checkVisibility({visibilityProperty: true}));
  const places = seen.map(t => [t.textContent, t.getBoundingClientRect()]);
  const found = [];
  places.forEach(([a, p], i) => places.slice(i + 1).forEach(([b, q]) => {
    const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (across > 1 && down > 3) found.push(a + ' / ' + b);
  }));
  return found;
}
"""

#: Texts that stand out of their box or picture, and elements whose text is wider than they show and cannot be scrolled.
_CLIPPED = """
() => {
  const found = [];
  const out = (inner, outer) => inner.left < outer.left - 1 || inner.right > outer.right + 1
    || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
  document.querySelectorAll('svg text').forEach(t => {
    if (!t.checkVisibility({visibilityProperty: true})) return;
    const box = t.closest('.ago-box, .ago-label');
    const rect = box ? box.querySelector('rect') : t.ownerSVGElement;
    if (out(t.getBoundingClientRect(), rect.getBoundingClientRect())) found.push(t.textContent);
  });
  document.querySelectorAll('.ago, .ago *').forEach(e => {
    if (!(e instanceof HTMLElement) || !e.checkVisibility()) return;
    const style = getComputedStyle(e);
    if (e.scrollWidth > e.clientWidth + 1 && style.display !== 'inline' && style.overflowX === 'hidden')
      found.push(e.tagName + ' ' + e.textContent.slice(0, 40));
  });
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth + 1) found.push('the page is wider than the window');
  return found;
}
"""


def overlapping_labels(page: Any) -> list[str]:
    """Pairs of visible labels that overlap."""
    return page.evaluate(_OVERLAPS)


def clipped_texts(page: Any) -> list[str]:
    """Texts that are cut off, or stand out of their boxes."""
    return page.evaluate(_CLIPPED)

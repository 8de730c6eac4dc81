# SPDX-License-Identifier: Apache-2.0
"""The page of `lodfs report` in Chromium: at three widths, light and dark.

Nothing is requested, nothing is wider than the window, every picture is decoded, and every text
has a contrast of 4.5. LODFS_SCREENSHOTS names a folder for screenshots.
"""
import os
import sys

import browser
import stored
import stores
from mounted import Results, Work, lodfs, skip

WIDTHS = 390, 768, 1280

# JavaScript that returns the lowest contrast of any text with its background (WCAG 2, 1.4.3), and
# that text.
CONTRAST = r"""(() => {
  const numbers = text => (text.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(
    v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = at => {
    for (; at; at = at.parentElement) {
      const color = numbers(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  let least = [99, ''];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.parentElement, style = getComputedStyle(at);
    if (!walker.currentNode.data.trim() || !at.getClientRects().length) continue;
    if (at.closest('title')) continue;
    const front = numbers(at instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(front), light(behind(at))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < least[0]) least = [ratio, walker.currentNode.data.slice(0, 40)];
  }
  return least;
})()"""
BROKEN = "[...document.images].filter(i => !i.complete || !i.naturalWidth).length"
WIDE = "[document.documentElement.scrollWidth, innerWidth]"


def requests(events):
    """URLs that the page asked for, but for its own and those that it holds."""
    urls = [event["params"]["request"]["url"] for event in events
            if event.get("method") == "Network.requestWillBeSent"]
    return [url for url in urls if not url.startswith("data:") and not url.endswith(".html")]


def look(page, path, name):
    for width in WIDTHS:
        for dark in False, True:
            where = f"{width} pixels, {'dark' if dark else 'light'}"
            page.show(path, width, dark)
            page.value("document.querySelectorAll('details').forEach(d => { d.open = true })")
            scroll, window = page.value(WIDE)
            if scroll > window or window != width:
                yield f"{where}: {scroll} pixels wide"
            ratio, text = page.value(CONTRAST)
            if ratio < 4.5:
                yield f"{where}: contrast {ratio:.2f} at '{text}'"
            if page.value(BROKEN):
                yield f"{where}: {page.value(BROKEN)} pictures cannot be shown"
            if os.environ.get("LODFS_SCREENSHOTS"):
                page.picture(f"{os.environ['LODFS_SCREENSHOTS']}/{name}-{width}-"
                             f"{'dark' if dark else 'light'}.png")
    if requests(page.events):
        yield f"requests: {requests(page.events)[:3]}"
    said = [event["params"]["entry"]["text"] for event in page.events
            if event.get("method") == "Log.entryAdded"]
    if said:
        yield f"the browser says: {said[:3]}"


def main():
    if not browser.find():
        skip("Chromium is not installed")
    results = Results()
    with Work() as work:
        stored.make_photographs(f"{work}/photos")
        made = {"photographs": stores.pack(f"{work}/photos", f"{work}/store"),
                "hostile": stored.hostile(work), "pngs": stored.pngs(work)}
        for name, store in made.items():
            path = f"{work}/{name}.html"
            lodfs("report", "-o", path, "--no-progress", store)
            with browser.Browser() as page:
                results.add(name, look(page, path, name))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

/** An address as others may read it: what stands behind the path often lets whoever has it in. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** Where a page that shows an error leads back to, and what the client gets there; undefined without such a link. */
export function readShownError(
  html: string,
): { address: string; answer: Record<string, string | undefined> } | undefined {
  const link = /<a class="button second" href="(https?:[^"]+)"/.exec(html)?.[1]
  if (link === undefined) return undefined
  const { origin, pathname, searchParams } = new URL(link.replaceAll('&amp;', '&'))
  return { address: origin + pathname, answer: Object.fromEntries(searchParams) }
}

export const LONGEST_SLUG = 63

/** What the service would make of a name, so that one sees it before. */
export const slugFrom = (name: string): string =>
  (
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  )
    .join('-')
    .slice(0, LONGEST_SLUG)
    .replace(/-$/, '')

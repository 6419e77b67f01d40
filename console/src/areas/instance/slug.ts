const LONGEST = 63

/** A slug that reminds of a name, as the service would make it. */
export const slugFrom = (name: string): string =>
  (
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  )
    .join('-')
    .slice(0, LONGEST)
    .replace(/-$/, '')

export const MAX_SLUG_LENGTH = 63

/** Derives a slug from a name in the same way as the service, for the preview. */
export const toSlug = (name: string): string =>
  (
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  )
    .join('-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/-$/, '')

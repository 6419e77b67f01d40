/** The distinct scopes of a space-separated list, in its order. */
export const parseScope = (text: string | undefined): string[] => [
  ...new Set((text ?? '').split(' ').filter((scope) => scope !== '')),
]

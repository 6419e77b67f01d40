/** The distinct scopes of a space-separated list, in its order. */
export const parseScope = (text: string | undefined): string[] => [
  ...new Set((text ?? '').split(' ').filter((scope) => scope !== '')),
]

/** Opens the instance to a machine. What a person may do there is no matter of scopes, so none carries this one. */
export const MACHINE_SCOPE = 'admin'

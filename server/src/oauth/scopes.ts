/** The distinct scopes of a space-separated list, in its order. */
export const parseScope = (text: string | undefined): string[] => [
  ...new Set((text ?? '').split(' ').filter((scope) => scope !== '')),
]

/**
 * Grants a machine client administration of the instance. User tokens never have it: their rights do not depend on
 * scopes.
 */
export const MACHINE_SCOPE = 'admin'

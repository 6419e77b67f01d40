/** The scopes of OpenID Connect: they speak of a person, so a program on its own behalf has no use for them. */
export const USER_SCOPES: readonly string[] = ['openid', 'profile', 'email', 'offline_access']

/** The distinct scopes of a space-separated list, in its order. */
export const parseScope = (text: string | undefined): string[] => [
  ...new Set((text ?? '').split(' ').filter((scope) => scope !== '')),
]

/** Whether these ways of proving who one is (RFC 8176) include a second factor. */
export const showsSecondFactor = (amr: readonly string[]): boolean => amr.includes('mfa')

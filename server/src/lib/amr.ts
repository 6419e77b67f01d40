/** True if these authentication methods (RFC 8176) include a second factor. */
export const includesSecondFactor = (amr: readonly string[]): boolean => amr.includes('mfa')

/**
 * Decodes canonical base64url only: no padding, no other characters, and zero trailing bits (RFC 4648 §3.5). Returns
 * undefined otherwise, because a lenient decoder would accept several spellings of the same token.
 */
export function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

/**
 * The bytes of a base64url text in its canonical spelling: no padding, no whitespace, no other character, and zeros in
 * the bits that are left over (RFC 4648 §3.5). Undefined for any other: a lenient decoder would take several texts for
 * the same token.
 */
export function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const ASCII = /^[\x21-\x7e]*$/
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The canonical form of an email address, or undefined. Quotes, comments, lists and non-ASCII characters are rejected,
 * so that every mail server resolves the address to the same mailbox.
 */
export function parseEmail(text: string): string | undefined {
  // Before toLowerCase, which maps some non-ASCII letters to ASCII ones.
  if (!ASCII.test(text)) return undefined
  const email = text.toLowerCase()
  const [local = '', domain = '', ...rest] = email.split('@')
  if (rest.length > 0 || email.length > 254 || local.length > 64 || !LOCAL.test(local)) return undefined
  const labels = domain.split('.')
  return labels.length >= 2 && labels.every((label) => LABEL.test(label)) ? email : undefined
}

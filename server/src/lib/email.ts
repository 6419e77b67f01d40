const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const ASCII = /^[\x21-\x7e]*$/
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The canonical form of an e-mail address, or undefined for anything else. Only the plain form is taken (no
 * quotes, comments, lists or look-alike characters): whatever we accept must mean one mailbox to every mail server.
 */
export function parseEmail(text: string): string | undefined {
  // Before the letters are made small: some of other alphabets become Latin ones then.
  if (!ASCII.test(text)) return undefined
  const email = text.toLowerCase()
  const [local = '', domain = '', ...rest] = email.split('@')
  if (rest.length > 0 || email.length > 254 || local.length > 64 || !LOCAL.test(local)) return undefined
  const labels = domain.split('.')
  return labels.length >= 2 && labels.every((label) => LABEL.test(label)) ? email : undefined
}

import { isIP } from 'node:net'
import type { WebhookConfig } from '../../config.ts'
import { t } from '../../languages/translate.ts'
import { createGuard } from './guard.ts'

/** Printable ASCII. Parsers disagree on how to handle other characters in a URL. */
const URL_CHARACTERS = /^[\x21-\x7e]+$/

/**
 * The problem of a URL that this service is to send requests to. Checks only what the URL itself shows: a host name is
 * resolved and checked for every request, because its addresses may change.
 */
export function findUrlProblem(config: WebhookConfig, text: string): string | undefined {
  if (!URL_CHARACTERS.test(text) || !URL.canParse(text)) return t('must be an absolute address')
  const { protocol, username, password, hash, hostname } = new URL(text)
  const schemes = config.allowedNetworks.length > 0 ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(protocol)) return t('must start with https://')
  if (username !== '' || password !== '') return t('must not name a user or a password')
  if (hash !== '' || text.includes('#')) return t('must not have a fragment')
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0 && !createGuard(config).allows(host, protocol)) {
    return t('must not lead into a network that is not public')
  }
  return undefined
}

import type { Reader } from './reader.ts'

/** Clients whose id is the URL of a document that describes them (OAuth Client ID Metadata Document). */
export interface ClientDocumentConfig {
  readonly mode: 'off' | 'allow-list' | 'on'
  /**
   * Host names, or `*.example.com` for all names below one, each with a port after a colon. Without one, the default
   * port is allowed, and all ports are denied.
   */
  readonly allowedHosts: readonly string[]
  readonly deniedHosts: readonly string[]
}

const MODES = ['off', 'allow-list', 'on'] as const
const HOST = /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/

export const CLIENT_DOCUMENT_VARIABLES = {
  CLIENT_DOCUMENTS:
    'off, allow-list or on: whether clients that nobody registered may use the https URL of their metadata document as client_id (off)',
  CLIENT_DOCUMENTS_ALLOWED_HOSTS:
    'with allow-list: the hosts of these documents, such as app.example.com,*.example.org, separated by commas; on port 443, or on the one in app.example.com:8443 (none)',
  CLIENT_DOCUMENTS_DENIED_HOSTS:
    'hosts whose documents are refused, and whose clients get no new tokens, on all ports or on the one that is named (none)',
}

export function readClientDocuments(read: Reader): ClientDocumentConfig {
  const mode = read.oneOf('CLIENT_DOCUMENTS', MODES) ?? 'off'
  const allowedHosts = readHosts(read, 'CLIENT_DOCUMENTS_ALLOWED_HOSTS')
  if (mode === 'allow-list' && allowedHosts.length === 0) {
    read.problems.push('CLIENT_DOCUMENTS is allow-list, but CLIENT_DOCUMENTS_ALLOWED_HOSTS names no host.')
  }
  return { mode, allowedHosts, deniedHosts: readHosts(read, 'CLIENT_DOCUMENTS_DENIED_HOSTS') }
}

function readHosts(read: Reader, variable: string): string[] {
  const entries = (read.text(variable) ?? '').split(',').map((entry) => entry.trim().toLowerCase())
  const hosts = entries.filter((entry) => entry !== '')
  for (const host of hosts) {
    if (!HOST.test(host)) {
      read.problems.push(
        `${variable} holds "${host}": it must be a host name such as app.example.com, *.example.com or app.example.com:8443.`,
      )
    }
  }
  return hosts
}

export interface SnippetValues {
  issuer: string
  clientId: string
  /** Only known in the moment in which it was made. */
  clientSecret?: string | undefined
  applicationId: string
  redirectUri?: string | undefined
  postLogoutUri?: string | undefined
  /** False: a machine of the whole instance. */
  ofTenant?: boolean
}

export interface Snippet {
  /** What it is written with, where there is a choice. */
  tool: string
  file: string
  code: string
  /** What is typed in a terminal, beside the file. */
  run: string
  /** What to do then. */
  next: string
}

export const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
export const inShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
export const isInsecure = (issuer: string) => issuer.startsWith('http:')
export const secretOf = ({ clientSecret }: SnippetValues) => inShell(clientSecret ?? 'your client secret')
export const homeOf = (address: string) => (URL.canParse(address) ? `${new URL(address).origin}/` : address)

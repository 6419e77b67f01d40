import type { Config } from '../../config.ts'

/** Where the console is. Its pages are ours, so its addresses follow the address of the service. */
export const consoleAddresses = ({ baseUrl }: Config) => ({
  redirectUris: [`${baseUrl}/console/callback`],
  postLogoutRedirectUris: [`${baseUrl}/console/`],
})

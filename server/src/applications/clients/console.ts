import type { Config } from '../../config.ts'

/** The redirect URIs of the console and the API reference, which the service serves itself, follow from its base URL. */
export const consoleAddresses = ({ baseUrl }: Config) => ({
  redirectUris: [`${baseUrl}/console/callback`, `${baseUrl}/docs/callback`],
  postLogoutRedirectUris: [`${baseUrl}/console/`],
})

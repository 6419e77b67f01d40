/** An http address on this computer without a port: `http://localhost/callback`. */
const PORTLESS_LOOPBACK = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=[/?]|$)/i
const PORT = /^(http:\/\/(?:localhost|[\d.]+|\[::1\])):(\d{1,5})(?=[/?]|$)/i
const MAX_PORT = 65_535

/**
 * Whether a redirect URI is one that the client registered. They are compared as text. Native apps listen on a port that
 * the system chooses, so a loopback address that was registered without a port allows every port (RFC 8252 §7.3).
 */
export const isRegisteredRedirectUri = (registered: string[], uri: string): boolean =>
  registered.includes(uri) || registered.some((entry) => PORTLESS_LOOPBACK.test(entry) && entry === withoutPort(uri))

const withoutPort = (uri: string): string =>
  uri.replace(PORT, (whole, host: string, port: string) => (isPort(Number(port)) ? host : whole))

const isPort = (port: number) => port > 0 && port <= MAX_PORT

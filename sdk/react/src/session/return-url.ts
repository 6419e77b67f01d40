/**
 * The URL to return to after a sign-in or sign-out. Only URLs of the same origin are accepted: an application may pass
 * on a value that somebody else chose, such as a query parameter. Others are replaced by the start page.
 */
export function toReturnUrl(returnTo: string, origin: string): string {
  const url = parseUrl(returnTo, origin)
  return url?.origin === origin ? url.href : `${origin}/`
}

/** Undefined for a text that is not a URL. `URL.canParse` is missing in browsers of before 2024. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

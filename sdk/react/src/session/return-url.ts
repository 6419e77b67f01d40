/**
 * The URL to return to after a sign-in or sign-out. Only URLs of the same origin are accepted: an application may pass
 * on a value that somebody else chose, such as a query parameter. Others are replaced by the start page.
 */
export function toReturnUrl(returnTo: string, origin: string): string {
  const url = URL.canParse(returnTo, origin) ? new URL(returnTo, origin) : undefined
  return url?.origin === origin ? url.href : `${origin}/`
}

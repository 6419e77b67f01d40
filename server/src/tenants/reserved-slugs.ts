/** As a subdomain, such as `https://<slug>.example.com`, these could be mistaken for a part of the service. */
const RESERVED = new Set(
  (
    'admin api app auth console dev docs health help id login logout mail metrics oauth oidc public root signup sso ' +
    'static status support system well-known www'
  ).split(' '),
)

export const isReserved = (slug: string): boolean => RESERVED.has(slug)

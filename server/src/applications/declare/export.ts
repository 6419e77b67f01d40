import { looksOf } from '../../branding/service.ts'
import type { Ctx } from '../../context.ts'
import type { Entry, ExportOptions } from '../../declaration/section.ts'
import { SETTINGS } from '../clients/rules.ts'
import { listClientsByClientId } from '../clients/store.ts'
import { listApplicationsBySlug } from '../store.ts'
import { listApplicationKeys, listClientKeys } from './store.ts'

/** Looked at so many at a time. */
const PAGE = 500

export async function* exportApplications({ db }: Ctx): AsyncGenerator<Entry> {
  const slugs = (await listApplicationKeys(db)).map(({ slug }) => String(slug))
  for (let start = 0; start < slugs.length; start += PAGE) {
    const page = slugs.slice(start, start + PAGE)
    const applications = await listApplicationsBySlug(db, page)
    const lookOf = await looksOf(
      db,
      applications.map(({ id }) => id),
    )
    const found = new Map(applications.map((one) => [one.slug, one]))
    for (const slug of page) {
      const { id = '', createdAt, updatedAt, ...application } = found.get(slug) ?? {}
      const branding = lookOf(id)
      const isBranded = branding.displayName !== null || branding.color !== null
      yield { ...application, ...(isBranded && { branding }) }
    }
  }
}

export async function* exportClients({ db }: Ctx, { withSecrets }: ExportOptions): AsyncGenerator<Entry> {
  const clientIds = (await listClientKeys(db)).map(({ clientId }) => String(clientId))
  for (let start = 0; start < clientIds.length; start += PAGE) {
    const page = clientIds.slice(start, start + PAGE)
    const found = await listClientsByClientId(db, page)
    const sorted = found.toSorted((a, b) => page.indexOf(a.clientId) - page.indexOf(b.clientId))
    for (const client of sorted) {
      yield {
        clientId: client.clientId,
        application: client.applicationSlug,
        kind: client.kind,
        ...(client.tenantSlug !== null && { tenant: client.tenantSlug }),
        ...Object.fromEntries(SETTINGS.map((name) => [name, client[name]])),
        ...(withSecrets &&
          client.secrets.length > 0 && {
            secretHashes: client.secrets.map(({ hash }) => hash),
          }),
      }
    }
  }
}

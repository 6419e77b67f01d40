import { loadBrandSettings } from '../../branding/service.ts'
import type { Ctx } from '../../context.ts'
import type { Entry, ExportOptions } from '../../declaration/section.ts'
import { CLIENT_SETTINGS } from '../clients/rules.ts'
import { listClientsByClientId } from '../clients/store.ts'
import { listApplicationsBySlug } from '../store.ts'
import { listApplicationKeys, listClientKeys } from './store.ts'

const PAGE_SIZE = 500

export async function* exportApplications({ db }: Ctx): AsyncGenerator<Entry> {
  const slugs = (await listApplicationKeys(db)).map(({ slug }) => String(slug))
  for (let start = 0; start < slugs.length; start += PAGE_SIZE) {
    const page = slugs.slice(start, start + PAGE_SIZE)
    const applications = await listApplicationsBySlug(db, page)
    const brandSettingsOf = await loadBrandSettings(
      db,
      applications.map(({ id }) => id),
    )
    const bySlug = new Map(applications.map((application) => [application.slug, application]))
    for (const slug of page) {
      const { id = '', createdAt, updatedAt, ...application } = bySlug.get(slug) ?? {}
      const branding = brandSettingsOf(id)
      const isBranded = Object.values(branding).some((value) => value !== null)
      yield { ...application, ...(isBranded && { branding }) }
    }
  }
}

export async function* exportClients({ db }: Ctx, { withSecrets }: ExportOptions): AsyncGenerator<Entry> {
  const clientIds = (await listClientKeys(db)).map(({ clientId }) => String(clientId))
  for (let start = 0; start < clientIds.length; start += PAGE_SIZE) {
    const page = clientIds.slice(start, start + PAGE_SIZE)
    const clients = await listClientsByClientId(db, page)
    const sorted = clients.toSorted((a, b) => page.indexOf(a.clientId) - page.indexOf(b.clientId))
    for (const client of sorted) {
      yield {
        clientId: client.clientId,
        application: client.applicationSlug,
        kind: client.kind,
        ...(client.tenantSlug !== null && { tenant: client.tenantSlug }),
        ...Object.fromEntries(CLIENT_SETTINGS.map((name) => [name, client[name]])),
        ...(withSecrets &&
          client.secrets.length > 0 && {
            secretHashes: client.secrets.map(({ hash }) => hash),
          }),
      }
    }
  }
}

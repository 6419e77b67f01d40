import type { Ctx } from '../../context.ts'
import type { Db, Tx } from '../../db/open.ts'
import { groupBy } from '../../lib/group-by.ts'
import { sumUp, toEntry } from '../subscriptions/service.ts'
import { listSubscriptions, type ShownSubscription } from '../subscriptions/store.ts'
import type { LicensedApplication } from '../tenant-schema.ts'
import { type FreeOffer, listFreeOffers, sumSeats } from './store.ts'

/** What a tenant may use, by application: what it has bought, and what is free for all. */
export async function holdingsOf(ctx: Ctx, tx: Tx, tenantId: string): Promise<LicensedApplication[]> {
  const now = ctx.now()
  const bought = groupBy(await listSubscriptions(tx, tenantId, now), (row) => row.application_id)
  const free = await listFreeOffers(tx)
  const applications = [...bought.values()].flatMap((rows) => toApplication(rows, now))
  for (const offer of free) addOffer(applications, offer)
  return applications.sort(byName)
}

/** The seats of the whole instance. */
export const seatsOfAll = (ctx: Ctx, db: Db): Promise<{ purchased: number; assigned: number }> =>
  sumSeats(db, ctx.now())

/** By code point, so that the order is the same on every database. */
const byName = (one: LicensedApplication, other: LicensedApplication): number =>
  compare(one.name, other.name) || compare(one.id, other.id)
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** One application of which the tenant has bought something. */
function toApplication(rows: ShownSubscription[], now: Date): LicensedApplication[] {
  const [first] = rows
  if (!first) return []
  return [
    {
      id: first.application_id,
      name: first.application_name,
      slug: first.application_slug,
      licensingMode: first.licensing_mode,
      seats: sumUp(rows.map((row) => toEntry(row, now))),
      licenseTypes: rows.map((row) => toLicenseType(row, now)),
    },
  ]
}

function toLicenseType(row: ShownSubscription, now: Date): LicensedApplication['licenseTypes'][number] {
  const { status, quantityPurchased, quantityAssigned, quantityAvailable } = toEntry(row, now)
  return {
    id: row.license_type_id,
    slug: row.license_type_slug,
    name: row.license_type_name,
    description: row.description,
    features: row.features,
    subscriptionId: row.id,
    status,
    currentPeriodEnd: row.current_period_end?.toISOString() ?? null,
    purchased: quantityPurchased,
    assigned: quantityAssigned,
    available: quantityAvailable,
  }
}

const NO_SEATS = { purchased: 0, assigned: 0, available: 0 }

/** What is free stands first, and once: somebody may have bought it before it was. */
function addOffer(applications: LicensedApplication[], offer: FreeOffer): void {
  const { applicationId: id, applicationName: name, applicationSlug: slug, licenseTypeId, ...type } = offer
  const known = applications.find((application) => application.id === id)
  if (known?.licenseTypes.some((each) => each.id === licenseTypeId)) return
  const unsold = { subscriptionId: null, status: null, currentPeriodEnd: null, ...NO_SEATS }
  const given = { ...type, id: licenseTypeId, slug: offer.slug, name: offer.name, ...unsold }
  if (known) known.licenseTypes.unshift(given)
  else applications.push({ id, name, slug, licensingMode: 'FREE', seats: NO_SEATS, licenseTypes: [given] })
}

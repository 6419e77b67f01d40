import type { Ctx } from '../../context.ts'
import type { Db, Tx } from '../../db/open.ts'
import { groupBy } from '../../lib/group-by.ts'
import { sumSeats, toSummary } from '../subscriptions/service.ts'
import { listSubscriptions, type SubscriptionDetails } from '../subscriptions/store.ts'
import type { LicensedApplication } from '../tenant-schema.ts'
import { type FreeOffer, listFreeOffers, sumInstanceSeats } from './store.ts'

/** Lists the applications that a tenant can use: those with a subscription, and the free ones. */
export async function listLicensedApplications(ctx: Ctx, tx: Tx, tenantId: string): Promise<LicensedApplication[]> {
  const now = ctx.now()
  const subscriptions = groupBy(await listSubscriptions(tx, tenantId, now), (row) => row.application_id)
  const applications = [...subscriptions.values()].flatMap((rows) => toApplication(rows, now))
  for (const offer of await listFreeOffers(tx)) addFreeOffer(applications, offer)
  return applications.sort(compareByName)
}

/** Sums the seats of the whole instance. */
export const getSeatTotals = (ctx: Ctx, db: Db): Promise<{ purchased: number; assigned: number }> =>
  sumInstanceSeats(db, ctx.now())

const compareByName = (a: LicensedApplication, b: LicensedApplication): number =>
  compareText(a.name, b.name) || compareText(a.id, b.id)
/** Not by locale, so that the order is the same on every server. */
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Takes the subscriptions of one application. */
function toApplication(rows: SubscriptionDetails[], now: Date): LicensedApplication[] {
  const [first] = rows
  if (!first) return []
  return [
    {
      id: first.application_id,
      name: first.application_name,
      slug: first.application_slug,
      licensingMode: first.licensing_mode,
      seats: sumSeats(rows.map((row) => toSummary(row, now))),
      licenseTypes: rows.map((row) => toLicenseType(row, now)),
    },
  ]
}

function toLicenseType(row: SubscriptionDetails, now: Date): LicensedApplication['licenseTypes'][number] {
  const { status, quantityPurchased, quantityAssigned, quantityAvailable } = toSummary(row, now)
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

/** The free type comes first. It is already listed if the tenant subscribed before the application became free. */
function addFreeOffer(applications: LicensedApplication[], offer: FreeOffer): void {
  const { applicationId: id, applicationName: name, applicationSlug: slug, licenseTypeId, ...type } = offer
  const listed = applications.find((application) => application.id === id)
  if (listed?.licenseTypes.some((licenseType) => licenseType.id === licenseTypeId)) return
  const freeType = {
    ...type,
    id: licenseTypeId,
    subscriptionId: null,
    status: null,
    currentPeriodEnd: null,
    ...NO_SEATS,
  }
  if (listed) listed.licenseTypes.unshift(freeType)
  else applications.push({ id, name, slug, licensingMode: 'FREE', seats: NO_SEATS, licenseTypes: [freeType] })
}

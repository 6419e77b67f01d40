import { sql } from 'kysely'
import type pg from 'pg'
import { SYSTEM } from '../../src/audit/record.ts'
import type { Tx } from '../../src/db/open.ts'
import { AppError } from '../../src/errors.ts'
import { newId } from '../../src/lib/ids.ts'
import { changeLicenseType } from '../../src/licensing/catalog/service.ts'
import { changeSeatsInBulk } from '../../src/licensing/seats/bulk.ts'
import { change, grant, grantSeat, reserveSeat, revoke, revokeSeat } from '../../src/licensing/seats/service.ts'
import { changeSubscription, createSubscription } from '../../src/licensing/subscriptions/service.ts'
import type { TestService } from '../support/service.ts'
import { insertTenant } from '../tenants/tenant-rows.ts'
import { DONE, type Outcome } from './property-state.ts'
import { HOUR_MS, MODES, PERSON_COUNT, type Step, TYPES } from './property-steps.ts'

/** Applies the steps to the real service. Every run has its own tenant, people, applications and license types. */
export class World {
  readonly people = Array.from({ length: PERSON_COUNT }, newId).sort()
  readonly applications = MODES.map(newId).sort()
  readonly types = TYPES.map(newId)
  readonly subscriptions = new Map<number, string>()
  tenantId = ''

  readonly service: TestService
  readonly db: pg.Pool

  private constructor(service: TestService, db: pg.Pool) {
    this.service = service
    this.db = db
  }

  static async create(service: TestService, db: pg.Pool): Promise<World> {
    const world = new World(service, db)
    world.tenantId = (await insertTenant(service)).id
    const now = service.ctx.now()
    await db.query(
      `insert into users (id, email, email_verified, created_at, updated_at)
       select id, id || '@people.test', true, $2, $2 from unnest($1::uuid[]) as id`,
      [world.people, now],
    )
    await db.query(
      `insert into applications (id, slug, name, licensing_mode, created_at, updated_at)
       select id, id::text, 'Application ' || number, mode, $3, $3
       from unnest($1::uuid[], $2::text[]) with ordinality as made (id, mode, number)`,
      [world.applications, MODES, now],
    )
    const owners = TYPES.map((application) => world.applications[application])
    await db.query(
      `insert into license_types (id, application_id, slug, name, features, display_order, created_at, updated_at)
       select id, owner, 'type-' || number, 'Type ' || number, jsonb_build_object('f' || number, true, 'no', false),
         number, $3, $3
       from unnest($1::uuid[], $2::uuid[]) with ordinality as made (id, owner, number)`,
      [world.types, owners, now],
    )
    for (let person = 0; person < PERSON_COUNT; person++) await world.insertMember(person)
    return world
  }

  private getUserId = (index: number): string => this.people[index] ?? ''

  private toGrantRequest = (person: number, type: number) => ({
    userId: this.getUserId(person),
    applicationId: this.applications[TYPES[type] ?? 0] ?? '',
    licenseTypeId: this.types[type] ?? '',
  })

  private insertMember = (person: number) =>
    this.db.query(
      `insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
       values ($1, $2, $3, 'member', 'ACTIVE', $4, $4, $4)`,
      [newId(), this.tenantId, this.getUserId(person), this.service.ctx.now()],
    )

  private updateMembership = (person: number, change: string) =>
    this.db.query(`update memberships set ${change}, updated_at = $3 where tenant_id = $1 and user_id = $2`, [
      this.tenantId,
      this.getUserId(person),
      this.service.ctx.now(),
    ])

  private updateUser = (person: number, change: string) =>
    this.db.query(`update users set ${change} where id = $1`, [this.getUserId(person)])

  async apply(step: Step): Promise<Outcome[]> {
    try {
      const outcomes = await this.applyOrThrow(step)
      await this.service.ctx.changes.waitUntilCurrent()
      return Array.isArray(outcomes) ? outcomes : [DONE]
    } catch (error) {
      if (error instanceof AppError) return [toOutcome(error)]
      throw error
    }
  }

  private inTransaction = <T>(work: (tx: Tx) => Promise<T>) => this.service.ctx.db.transaction().execute(work)

  private applyOrThrow(step: Step): Promise<unknown> {
    const { ctx } = this.service
    const granting = { tenantId: this.tenantId, actor: SYSTEM }
    switch (step.do) {
      case 'grant':
        return grant(ctx, granting, this.toGrantRequest(step.person, step.type)).then(() => undefined)
      case 'change':
        return change(ctx, granting, this.toGrantRequest(step.person, step.type)).then(() => undefined)
      case 'revoke':
        return revoke(ctx, granting, this.toSeatKey(step)).then(() => undefined)
      case 'grantInBulk': {
        const requests = step.rows.map(({ person, type }) => this.toGrantRequest(person, type))
        return changeSeatsInBulk(ctx, granting, requests, grantSeat).then(toOutcomes)
      }
      case 'revokeInBulk':
        return changeSeatsInBulk(ctx, granting, step.rows.map(this.toSeatKey), revokeSeat).then(toOutcomes)
      case 'invite':
        return this.invite(step)
      case 'subscribe':
      case 'changeSubscription':
        return this.applyTerms(step)
      case 'setTypeStatus': {
        const change = { status: step.status }
        const input = { id: this.types[step.type] ?? '', change, source: { actor: SYSTEM } }
        return this.inTransaction((tx) => changeLicenseType(ctx, tx, input)).then(() => undefined)
      }
      case 'setMode':
        return this.db.query('update applications set licensing_mode = $2 where id = $1', [
          this.applications[step.application],
          step.mode,
        ])
      case 'advanceClock':
        return Promise.resolve(this.service.advance(step.hours * HOUR_MS))
      case 'deleteTenant':
        return this.db.query('delete from tenants where id = $1', [this.tenantId])
      default:
        return this.applyToPerson(step)
    }
  }

  private toSeatKey = (row: { person: number; application: number }) => ({
    userId: this.getUserId(row.person),
    applicationId: this.applications[row.application] ?? '',
  })

  private invite({ person, type, hours }: Step & { do: 'invite' }) {
    const { ctx } = this.service
    const now = ctx.now()
    return this.inTransaction(async (tx) => {
      await sql`select enter_tenant(${this.tenantId}::uuid)`.execute(tx)
      await sql`
        insert into memberships (id, tenant_id, user_id, role, status, invited_until, created_at, updated_at)
        values (${newId()}, ${this.tenantId}, ${this.getUserId(person)}, 'member', 'INVITED',
          ${new Date(now.getTime() + hours * HOUR_MS)}, ${now}, ${now})`.execute(tx)
      await reserveSeat(ctx, tx, { tenantId: this.tenantId, actor: SYSTEM }, this.toGrantRequest(person, type))
    })
  }

  private async applyTerms(step: Step & { do: 'subscribe' | 'changeSubscription' }): Promise<void> {
    const { ctx } = this.service
    const source = { actor: SYSTEM }
    const { seats: quantityPurchased, status, hours } = step
    const currentPeriodEnd = typeof hours === 'number' ? new Date(ctx.now().getTime() + hours * HOUR_MS) : hours
    const terms = { quantityPurchased, status, currentPeriodEnd }
    if (step.do === 'changeSubscription') {
      const id = this.subscriptions.get(step.type) ?? ''
      await changeSubscription(ctx, { id, change: terms, source })
      return
    }
    const draft = {
      ...terms,
      tenantId: this.tenantId,
      licenseTypeId: this.types[step.type] ?? '',
      quantityPurchased: step.seats,
    }
    this.subscriptions.set(step.type, (await createSubscription(ctx, { draft, source })).id)
  }

  private applyToPerson(step: Step & { person: number }): Promise<unknown> {
    const { person } = step
    switch (step.do) {
      case 'suspend':
        return this.updateMembership(person, `status = 'SUSPENDED'`)
      case 'reactivate':
        return this.updateMembership(person, `status = 'ACTIVE'`)
      case 'accept':
        return this.updateMembership(person, `status = 'ACTIVE', joined_at = $3, invited_until = null`)
      case 'remove':
        return this.db.query('delete from memberships where tenant_id = $1 and user_id = $2', [
          this.tenantId,
          this.getUserId(person),
        ])
      case 'join':
        return this.insertMember(person)
      case 'requestDeletion':
        return this.updateUser(person, 'deletion_requested_at = now()')
      case 'cancelDeletion':
        return this.updateUser(person, 'deletion_requested_at = null')
      case 'erase':
        return this.db.query('delete from users where id = $1', [this.getUserId(person)])
      default:
        return this.updateUser(person, `disabled = ${step.do === 'disable'}`)
    }
  }
}

const toOutcome = ({ code, details }: AppError): Outcome => {
  const { reason } = (details ?? {}) as { reason?: string }
  return reason === undefined ? code : `${code} ${reason}`
}

const toOutcomes = ({ result }: { result: ({ result: unknown } | { error: AppError })[] }): Outcome[] =>
  result.map((row) => ('error' in row ? toOutcome(row.error) : DONE))

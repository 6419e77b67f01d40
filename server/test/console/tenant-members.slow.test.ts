import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { join } from '../support/world.ts'
import { openStage, type Stage, type Visit } from './stage.ts'
import { isRefusal } from './steps.ts'

describe.runIf(FULL && browserPath)('members and invitations in the console', () => {
  let stage: Stage
  let owner: Visit
  let admin: Visit
  beforeAll(async () => {
    stage = await openStage()
    await join(stage.service, 'mia@acme.test', 'globex')
    owner = await stage.as('olivia@acme.test', '/t/acme/members')
    admin = await stage.as('adam@acme.test', '/t/acme/members')
  })
  afterAll(() => stage?.close())

  test('searches and filters stand in the address', async () => {
    const { page, arriveAt, press, reads, isAccessible } = owner
    await arriveAt('Members')
    await reads('mia@acme.test')
    await isAccessible()
    await page.getByRole('searchbox').fill('adam')
    await page.waitForURL(/search=adam/)
    await page.getByText('mia@acme.test').waitFor({ state: 'detached' })
    await page.reload()
    await reads('adam@acme.test')
    expect(await page.getByText('mia@acme.test').count()).toBe(0)
    await page.getByRole('combobox', { name: 'Role', exact: true }).click()
    await page.getByRole('option', { name: 'Owner' }).click()
    await reads('Nobody was found')
    await press('Clear search and filters')
    await reads('mia@acme.test')
    expect(new URL(page.url()).search).toBe('')
    expect(owner.complaints).toEqual([])
  })

  test('an admin changes members and takes it back, and may not touch owners', async () => {
    const { page, reads, press } = admin
    await reads('olivia@acme.test')
    expect(await page.getByLabel('Role of Olivia Owner').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'More for Olivia Owner' }).count()).toBe(0)
    const role = page.getByRole('combobox', { name: 'Role of Max Member' })
    await role.click()
    expect(await page.getByRole('option').allTextContents()).toEqual(['Admin', 'Member'])
    await page.getByRole('option', { name: 'Admin' }).click()
    await reads('Max Member is now an admin.')
    await press('Undo')
    await expect.poll(() => role.inputValue()).toBe('Member')
    await page.getByRole('button', { name: 'More for Max Member' }).click()
    await page.getByRole('menuitem', { name: 'Suspend' }).click()
    const suspended = page.getByRole('cell', { name: 'Suspended' })
    await suspended.waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await suspended.waitFor({ state: 'detached' })
    expect(admin.complaints).toEqual([])
  })

  test('the last owner stays, and what was refused goes back with the reason', async () => {
    const { page, reads, press, complaints } = owner
    await page.getByRole('combobox', { name: 'Role of Olivia Owner' }).click()
    await page.getByRole('option', { name: 'Member' }).click()
    await press('Change my role')
    await reads('This is the last owner of the tenant. Make somebody else an owner first.')
    await press('Cancel')
    const role = page.getByRole('combobox', { name: 'Role of Olivia Owner' })
    await expect.poll(() => role.inputValue()).toBe('Owner')
    expect(complaints.splice(0).filter((complaint) => !isRefusal(complaint))).toEqual([])
  })

  test('any number is invited at once, and each is told how it went', async () => {
    const { page, go, arriveAt, fill, reads, press, isAccessible } = owner
    await go('/t/acme/invitations')
    await arriveAt('Invitations')
    await reads('No open invitations')
    await isAccessible()
    await page.getByRole('button', { name: 'Invite people' }).first().click()
    const many = Array.from({ length: 60 }, (_, at) => `person${at}@example.com`).join('\n')
    const rest = '"Lovelace, Ada" <ada@example.com>; rubbish, mia@acme.test'
    await fill('Email addresses', `${rest}\n${many} ADA@example.com`)
    await reads(/62 addresses\. 1 stood there twice\. Not an address, left out: rubbish/)
    await isAccessible()
    await press('Invite 62 people')
    await reads('61 people invited, 1 not.')
    await reads('This person is a member of the tenant already.')
    await isAccessible()
    await press('Try those again')
    await fill('Email addresses', 'carol@example.com')
    await page.getByRole('combobox', { name: 'Give them a seat' }).click()
    await page.getByRole('option', { name: /^Pro/ }).click()
    await press('Invite 1 person')
    await reads('1 person invited.')
    await press('Done')
    await reads('carol@example.com')
    await press('Next page')
    await page.waitForURL(/page=2/)
    expect(owner.complaints).toEqual([])
  })

  test('an invitation is sent again and revoked; those of owners are for owners', async () => {
    const { page, go, fill, press, reads } = owner
    await go('/t/acme/invitations')
    await press('Invite people')
    await fill('Email addresses', 'second-owner@example.com dora@example.com')
    await page.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: 'Owner' }).click()
    await press('Invite 2 people')
    await press('Done')
    await press('Send again: dora@example.com')
    await reads(/A new link is on its way to dora@example.com/)
    await press('Revoke: dora@example.com')
    await press('Revoke invitation')
    await reads('The invitation of dora@example.com was revoked.')
    await page.getByText('Revoked', { exact: true }).click()
    await page.getByRole('cell', { name: 'dora@example.com' }).waitFor()
    await admin.go('/t/acme/invitations')
    await admin.reads('second-owner@example.com')
    const name = 'Revoke: second-owner@example.com'
    expect(await admin.page.getByRole('button', { name }).count()).toBe(0)
    expect([...owner.complaints, ...admin.complaints]).toEqual([])
  })

  test('somebody is removed, and the seats fall free', async () => {
    const { page, go, press, reads, isAccessible } = owner
    await go('/t/acme/members')
    await page.getByRole('button', { name: 'More for Max Member' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await reads(/loses access to Acme at once/)
    await isAccessible()
    await press('Remove member')
    await reads('Max Member was removed.')
    await page.getByRole('cell', { name: /max@acme.test/ }).waitFor({ state: 'detached' })
    expect(owner.complaints).toEqual([])
  })

  test('members see who is there and change nobody; in two tabs they work in two tenants, and they may leave', async () => {
    const member = await stage.as('mia@acme.test', '/t/acme/members')
    const { page, go, arriveAt, reads, press, isAccessible } = member
    await reads('olivia@acme.test')
    expect(await page.getByRole('button', { name: 'Invite people' }).count()).toBe(0)
    expect(await page.getByLabel('Role of Olivia Owner').count()).toBe(0)
    await page.getByRole('button', { name: /^More for/ }).click()
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Leave this tenant'])
    for (const place of ['invitations', 'webhooks', 'audit']) {
      await go(`/t/acme/${place}`)
      await arriveAt('There is nothing here')
    }
    await go('/t/acme/settings')
    await reads('Everybody decides for themselves.')
    await isAccessible()
    expect(await page.getByRole('button', { name: 'Delete tenant' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)

    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('button', { name: 'Switch tenant: Acme' }).click()
    await other.getByRole('menuitem', { name: /Globex/ }).click()
    await other.waitForURL(/\/t\/globex\/settings/)
    await other.getByText('How Globex is called, looks and is protected.').waitFor()
    await page.reload()
    await reads('How Acme is called, looks and is protected.')

    await go('/t/globex/settings')
    await press('Leave this tenant')
    await press('Leave')
    await page.waitForURL(/\/t\/acme\/members/)
    await reads('olivia@acme.test')
    expect(member.complaints.filter((complaint) => !isRefusal(complaint))).toEqual([])
  })

  test('a tenant is founded, and one is there', async () => {
    const { page, arriveAt, fill, press, reads, isAccessible, complaints } = await stage.as(
      'gus@globex.test',
      '/new-tenant',
    )
    await arriveAt('New tenant')
    await fill('Name', 'Initech Ünited')
    expect(await page.getByLabel('Slug').inputValue()).toBe('initech-united')
    await isAccessible()
    await fill('Slug', 'acme')
    await press('Create tenant')
    await reads(/taken/)
    await fill('Slug', '')
    await press('Create tenant')
    await page.waitForURL(/\/t\/initech-united\/members/)
    await page.getByRole('button', { name: 'Switch tenant: Initech Ünited' }).waitFor()
    await reads('gus@globex.test')
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([])
  })
})

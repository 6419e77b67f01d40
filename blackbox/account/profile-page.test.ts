import { describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { readForms, submitForm } from '../support/pages.ts'
import { newPerson } from '../support/person.ts'
import { readResponse } from '../support/service.ts'

const ME = '/api/users/me'

describe('the profile page', () => {
  const PAGE = '/account/profile'
  const profileForm = async (page: Response) => {
    const form = (await readForms(page)).find(({ inputs }) => inputs.includes('birthdate'))
    if (!form) throw new Error(`no form of the profile at ${page.url}: ${page.status}`)
    return form
  }
  const openProfilePage = async () => {
    const person = await newPerson()
    const browser = await person.signIn()
    const profile = async () => (await readResponse(await browser.get(ME))).body
    return { browser, profile, form: await profileForm(await browser.get(PAGE)) }
  }

  test('T101: changes the submitted fields and no others', async () => {
    const { browser, profile, form } = await openProfilePage()
    const before = await profile()
    const page = await submitForm(browser, form, {
      gender: 'female',
      birthdate: '1990-12-31',
      nickname: ' S ',
    })
    expect(page.status).toBe(200)
    expect(await page.clone().text()).toMatch(/role="status"/)
    expect(await profile()).toEqual({
      ...before,
      gender: 'female',
      birthdate: '1990-12-31',
      nickname: 'S',
      updatedAt: expect.any(String),
    })
    const newForm = await profileForm(page)
    expect(newForm.fields).toMatchObject({ gender: 'female', birthdate: '1990-12-31', displayName: '' })
    await submitForm(browser, newForm, { gender: '', birthdate: '' })
    expect(await profile()).toMatchObject({ gender: null, birthdate: null, nickname: 'S' })
  })

  test('T102: reports errors, keeps the input, and changes no field', async () => {
    const { browser, profile, form } = await openProfilePage()
    const before = await profile()
    const page = await submitForm(browser, form, { nickname: 'half', birthdate: 'yesterday' })
    expect(page.status).toBe(422)
    expect(await page.clone().text()).toMatch(/role="alert"[^<]*>[^<]*date of birth/i)
    expect((await profileForm(page)).fields).toMatchObject({ nickname: 'half' })
    const long = `https://sam.example.com/${'x'.repeat(3_000)}`
    expect((await submitForm(browser, form, { website: long })).status).toBe(422)
    expect(await profile()).toEqual(before)
  })

  test('requires a session, and its form is accepted from the own origin only', async () => {
    const { browser, profile, form } = await openProfilePage()
    const signedOut = await openBrowser().get(PAGE)
    expect(signedOut.status).toBe(303)
    const { csrf: _, ...forged } = form.fields
    expect((await browser.post(PAGE, { ...forged, nickname: 'forged' })).status).toBe(403)
    expect(await profile()).toMatchObject({ nickname: null })
  })
})

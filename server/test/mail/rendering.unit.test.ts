import { describe, expect, test } from 'vitest'
import { runInLanguage } from '../../src/languages/current-language.ts'
import { LANGUAGES, toDirection } from '../../src/languages/languages.ts'
import { contrast } from '../../src/lib/contrast.ts'
import { listMailKinds, listVariables } from '../../src/mail/kinds.ts'
import type { ContentInput } from '../../src/mail/render/content.ts'
import { renderMail } from '../../src/mail/render/render-mail.ts'
import { hasStrayBraces, listUsedVariables } from '../../src/mail/template.ts'
import { toDeviceText } from '../../src/mail/texts/device.ts'
import { findDefaultText } from '../../src/mail/texts/find-text.ts'

const BASE_URL = 'https://id.test'
const BRAND = { name: 'Harbour', color: '#b3005e', logo: null }

const render = (input: Partial<ContentInput> = {}) =>
  renderMail({
    kind: 'invitation',
    design: { brand: BRAND, edits: [] },
    to: 'ann@example.test',
    baseUrl: BASE_URL,
    path: '/invitations/secret',
    values: { tenant: 'Harbour House', inviter: 'Hanna Host', expires: 'May 1, 2026' },
    ...input,
  })

const withText = (text: string, values: Record<string, string>, rest: Partial<ContentInput> = {}) => {
  const texts = { subject: text, heading: text, text, button: text }
  return render({ design: { brand: BRAND, edits: [texts] }, values, ...rest })
}

/** What a mail program would turn into a link, besides URLs of the service. */
const linksIn = (shown: string) =>
  shown
    .replaceAll(BASE_URL, '')
    .match(/[a-z]+:[/\\]\S*|\b(?:mailto|tel):[^\s\u200b]|[\p{L}\p{N}-]+[.．。｡]\p{L}{2,}\S*/giu) ?? []

const shownParts = ({ subject, text, html }: ReturnType<typeof renderMail>) => [
  subject,
  text,
  html.replace(/<style>[\s\S]*?<\/style>/, '').replaceAll(/<[^>]*>/g, ' '),
]

describe.each(LANGUAGES)('every mail in %s', (language) => {
  test.each(listMailKinds())('%s has texts whose variables exist, and a short subject', (kind) =>
    runInLanguage(language, () => {
      const { subject, heading, text, button, note = '' } = findDefaultText(kind)
      for (const template of [subject, heading, text, button, note]) {
        expect(template).not.toBe('undefined')
        expect(hasStrayBraces(template)).toBe(false)
        for (const name of listUsedVariables(template)) expect(listVariables(kind)).toContain(name)
      }
      const mail = render({ kind })
      expect(mail.subject.length).toBeLessThanOrEqual(70)
      expect(mail.text).not.toMatch(/[{}]/)
      expect(mail.html).toContain('Harbour')
      expect(mail.html).toContain(`<html lang="${language}" dir="${toDirection(language)}">`)
    }),
  )
})

describe('every mail', () => {
  test('in Arabic is laid out from right to left, and a name in it has a direction of its own', () => {
    const facts = [{ label: 'role', value: 'admin' }] as const
    const { html, text } = runInLanguage('ar', () => render({ facts: [...facts] }))
    expect(html).not.toMatch(/text-align:left|align="left"|padding:8px 16px 8px 0/)
    expect(html).toContain('text-align:right')
    expect(text).toContain('«\u2068Harbour House\u2069»')
    expect(text.split('\n')).toContain(`${BASE_URL}/invitations/secret`)
  })

  test('puts names into the quotation marks of its language, which a name cannot contain', () => {
    const subject = (tenant: string) => runInLanguage('ja', () => render({ values: { tenant, inviter: '' } })).subject
    expect(subject('Acme')).toBe('「Acme」への招待')
    expect(subject('Acme」「x')).toBe("「Acme''x」への招待")
  })

  test('has one link, which is the button, in HTML and on a line of its own in the text', () => {
    const { html, text } = render()
    expect(html.match(/<a /g)).toHaveLength(1)
    expect(html).toContain(`<a href="${BASE_URL}/invitations/secret"`)
    expect(text.split('\n')).toContain(`${BASE_URL}/invitations/secret`)
  })

  test('is wrapped in plain text, but the link is not', () => {
    const { text } = render({ kind: 'tenant-suspended', path: `/reset?token=${'x'.repeat(100)}` })
    const long = text.split('\n').filter((line) => line.length > 72)
    expect(long).toEqual([`${BASE_URL}/reset?token=${'x'.repeat(100)}`])
  })

  test('loads nothing from the network', () => {
    const logo = { hash: 'a'.repeat(64), type: 'image/png' as const, width: 64, height: 64 }
    const { html } = render({ design: { brand: { ...BRAND, logo }, edits: [] } })
    expect(html).toContain('src="cid:logo"')
    expect(html).not.toMatch(/src="(?!cid:)|url\(|<link|<script|@import/)
  })

  test('shows the name where a logo cannot be shown', () => {
    const logo = { hash: 'a'.repeat(64), type: 'image/webp' as const, width: 64, height: 64 }
    const mail = render({ design: { brand: { ...BRAND, logo }, edits: [] } })
    expect(mail.logo).toBeUndefined()
    expect(mail.html).not.toContain('<img')
    expect(mail.html).toContain('>Harbour<')
  })

  test('has a readable button in light and in dark mode, whatever the color', () => {
    for (const color of ['#ffff00', '#000000', '#ffffff', '#b3005e']) {
      const { html } = render({ design: { brand: { ...BRAND, color }, edits: [] } })
      const [, light = '', lightInk = ''] =
        /background-color:(#\w{6});border-radius:8px.*?color:(#\w{6});font-size:16px/s.exec(html) ?? []
      const [, dark = '', darkInk = ''] =
        /\.button\{background-color:(#\w{6})!important\}\s\.label\{color:(#\w{6})/.exec(html) ?? []
      expect(contrast(light, lightInk)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(dark, darkInk)).toBeGreaterThanOrEqual(4.5)
    }
    expect(render().html).toContain('<meta name="color-scheme" content="light dark"/>')
  })
})

describe('names and texts in a mail', () => {
  test.each([
    ['https://{{tenant}}', 'evil.test/login'],
    ['Visit https:{{tenant}}', '//evil.test'],
    ['www.{{tenant}}', 'evil.test'],
    ['{{tenant}}.com', 'evil'],
    ['See {{tenant}}', 'https://evil.test/login'],
    ['evil.test/login {{tenant}}', 'Acme'],
    ['Write to mailto:{{tenant}}', 'eve@evil.test'],
    ['{{tenant}}', 'evil．test evil。test https:\\\\evil.test'],
    ['{{tenant}}', 'ev\u200bil.\u200btest/\u2060x'],
    ['h\u200bttps://evil.test', ''],
  ])('form no link: %s with %s', (text, tenant) => {
    for (const language of ['en', 'ar'] as const) {
      const mail = runInLanguage(language, () => withText(text, { tenant }))
      for (const part of shownParts(mail)) expect(linksIn(part.replace(/[\u2068\u2069]/g, ''))).toEqual([])
    }
    const brand = { ...BRAND, name: tenant }
    const design = { brand, edits: [{ subject: text, heading: text, text, button: text }] }
    for (const part of shownParts(render({ design, values: { tenant } }))) expect(linksIn(part)).toEqual([])
  })

  test('start no line and no header, and do not change the direction of text', () => {
    const hostile = 'Acme\r\nBcc: eve@evil.test\u2028Line\u2029\u202e\u2066\u200f\ufeff\u0085End'
    for (const mail of [
      withText(`A {{tenant}} ${hostile}`, { tenant: hostile }),
      withText('{{tenant}}', { tenant: hostile }),
    ]) {
      expect(mail.subject).not.toMatch(/\p{Cc}|\p{Zl}|\p{Zp}/u)
      for (const part of shownParts(mail))
        expect(part).not.toMatch(/^Bcc|[\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]/m)
    }
  })

  test('are escaped, and a value is not read as a template', () => {
    const { html, text } = withText('Hi {{tenant}}', { tenant: '<img src=x onerror=alert(1)> {{email}}' })
    expect(html).not.toContain('<img')
    expect(text).toContain('{{email}}')
    expect(text).not.toContain('ann@')
  })
})

describe('the device in a mail', () => {
  test.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
      'Chrome on Linux',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox on macOS'],
    ['curl/8.9.1', '"curl"'],
    ['', 'Unknown device'],
    ['Mozilla/5.0 (X11; Linux) https://evil.test/1.0', 'Unknown device'],
    ['evil.test/1.0', '"evil.\u200btest"'],
  ])('%s is %s', (userAgent, text) => expect(toDeviceText(userAgent)).toBe(text))
})

test.each([
  ['ann.lee@people.test', 'ann.lee@people.test'],
  ['www.evil.test/login?x@people.test', 'www.\u200bevil.\u200btest/login?x@people.\u200btest'],
])('the new address %s is shown as %j', (value, shown) => {
  const { text } = render({ kind: 'email-changed', facts: [{ label: 'newAddress', value }] })
  expect(text).toContain(`New address: ${shown}`)
})

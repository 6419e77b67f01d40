import { renderToString } from 'preact-render-to-string'
import { currentLanguage } from '../../languages/current-language.ts'
import { type Language, toDirection } from '../../languages/languages.ts'
import { toReadableAccent } from '../../lib/contrast.ts'
import { fitLogo } from '../../ui/brand.ts'
import { CARD_BACKGROUNDS } from '../../ui/brand-sheet.ts'
import type { StoredMailBrand } from '../design-store.ts'
import type { MailContent } from './content.ts'

/** The URL of the logo: an attachment of the mail, so that opening the mail loads nothing from the network. */
export const LOGO_CID = 'logo'
export const LOGO_SRC = `cid:${LOGO_CID}`

const DEFAULT_COLOR = '#3b5bdb'

/** Mail programs that show WebP are not common enough. */
export const showsLogo = ({ logo }: StoredMailBrand): boolean => logo !== null && logo.type !== 'image/webp'

/**
 * The HTML of a mail. Mail programs support little: the layout consists of tables and the styles are inline. The style
 * element is for dark mode only.
 */
export const renderHtml = (content: MailContent): string =>
  `<!doctype html>${renderToString(<MailPage {...content} />)}`

const FONT = 'font-family:-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,sans-serif'
const TABLE = { role: 'presentation', cellpadding: '0', cellspacing: '0', border: 0 } as const

/**
 * Mail programs show the body in a page of their own, so that the language and direction of the document are lost. Some
 * know no logical properties.
 */
const layoutOf = (language: Language) => {
  const dir = toDirection(language)
  return { lang: language, dir, start: dir === 'rtl' ? 'right' : 'left' } as const
}

/** The padding of a cell with its sides (top, right, bottom, left) as in a text from left to right. */
function toEndPadding([top, right, bottom, left]: [string, string, string, string]): string {
  const isMirrored = toDirection(currentLanguage()) === 'rtl'
  return `padding:${top} ${isMirrored ? left : right} ${bottom} ${isMirrored ? right : left}`
}

function MailPage(content: MailContent) {
  const { subject, brand, heading, paragraphs, facts, note, footer } = content
  const color = brand.color ?? DEFAULT_COLOR
  const { lang, dir, start } = layoutOf(currentLanguage())
  return (
    <html lang={lang} dir={dir}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no" />
        <title>{subject}</title>
        <style>{darkStyles(color)}</style>
      </head>
      <body
        class="page"
        lang={lang}
        dir={dir}
        style={`margin:0;padding:0;background-color:#f4f6fa;color:#1b1f27;${FONT}`}
      >
        <table {...TABLE} width="100%" class="page" lang={lang} dir={dir} style="background-color:#f4f6fa">
          <tr>
            <td align="center" style="padding:32px 16px">
              <table {...TABLE} width="100%" style="max-width:560px">
                <tr>
                  <td align={start} style="padding:0 4px 20px">
                    <BrandMark {...brand} />
                  </td>
                </tr>
                <tr>
                  <td
                    class="card"
                    style={`padding:32px;background-color:#ffffff;border:1px solid #dfe3ea;border-radius:12px;text-align:${start}`}
                  >
                    <h1
                      class="ink"
                      style="margin:0 0 16px;color:#1b1f27;font-size:22px;line-height:1.3;font-weight:700"
                    >
                      {heading}
                    </h1>
                    {paragraphs.map((paragraph) => (
                      <p
                        key={paragraph}
                        class="ink"
                        style="margin:0 0 16px;color:#1b1f27;font-size:16px;line-height:1.55"
                      >
                        {paragraph}
                      </p>
                    ))}
                    {facts.length > 0 && <Facts facts={facts} />}
                    {content.button.label !== '' && <Button {...content.button} color={color} />}
                    {note !== undefined && (
                      <p class="quiet" style="margin:0;color:#5b6372;font-size:14px;line-height:1.5">
                        {note}
                      </p>
                    )}
                  </td>
                </tr>
                <tr>
                  <td
                    class="quiet"
                    align={start}
                    style="padding:20px 4px 0;color:#5b6372;font-size:13px;line-height:1.5"
                  >
                    {footer}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>
  )
}

function BrandMark(brand: StoredMailBrand) {
  const { name, logo } = brand
  const size = logo && fitLogo(logo)
  return (
    <table {...TABLE}>
      <tr>
        {size && showsLogo(brand) && (
          <td class="plate" style={toEndPadding(['0', '12px', '0', '0'])}>
            <img src={LOGO_SRC} alt="" {...size} style="display:block;border:0;border-radius:6px" />
          </td>
        )}
        <td class="ink" style="color:#1b1f27;font-size:18px;line-height:1.3;font-weight:700">
          {name}
        </td>
      </tr>
    </table>
  )
}

const Facts = ({ facts }: Pick<MailContent, 'facts'>) => (
  <table {...TABLE} width="100%" style="margin:0 0 16px">
    {facts.map(({ label, value }) => (
      <tr key={label}>
        <td
          class="quiet line"
          valign="top"
          style={`${toEndPadding(['8px', '16px', '8px', '0'])};border-top:1px solid #dfe3ea;color:#5b6372;font-size:14px;line-height:1.5;white-space:nowrap`}
        >
          {label}
        </td>
        <td
          class="ink line"
          width="100%"
          style="padding:8px 0;border-top:1px solid #dfe3ea;color:#1b1f27;font-size:14px;line-height:1.5;word-break:break-word"
        >
          <bdi>{value}</bdi>
        </td>
      </tr>
    ))}
  </table>
)

function Button({ label, url, color }: MailContent['button'] & { color: string }) {
  const accent = toReadableAccent(CARD_BACKGROUNDS.light, color)
  return (
    <table {...TABLE} style="margin:8px 0 24px">
      <tr>
        <td class="button" align="center" style={`background-color:${accent.color};border-radius:8px`}>
          <a
            href={url}
            target="_blank"
            rel="noopener"
            class="label"
            style={`display:inline-block;padding:13px 26px;color:${accent.ink};font-size:16px;line-height:1.3;font-weight:600;text-decoration:none`}
          >
            {label}
          </a>
        </td>
      </tr>
    </table>
  )
}

/** The rules need no characters that HTML would escape. */
function darkStyles(color: string): string {
  const accent = toReadableAccent(CARD_BACKGROUNDS.dark, color)
  return `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background-color:#14161b!important}
.card{background-color:${CARD_BACKGROUNDS.dark}!important;border-color:#343945!important}
.ink{color:#e8eaf0!important}
.quiet{color:#a2a9b8!important}
.line{border-color:#343945!important}
.plate img{background-color:#ffffff!important}
.button{background-color:${accent.color}!important}
.label{color:${accent.ink}!important}
}`
}

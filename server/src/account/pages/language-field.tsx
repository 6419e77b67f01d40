import { LANGUAGE_NAMES, LANGUAGES } from '../../languages/languages.ts'

interface LanguageFieldProps {
  label: string
  name: string
  /** The stored language tag; empty when there is none. */
  value: string
  describedBy: string | undefined
}

/** Each language by its own name. A stored tag that is not among them stays selectable. */
export const LanguageField = ({ label, name, value, describedBy }: LanguageFieldProps) => {
  const isOffered = LANGUAGES.some((language) => language === value)
  return (
    <p class="field">
      <label for={name}>{label}</label>
      <select
        id={name}
        name={name}
        {...(describedBy !== undefined && { 'aria-describedby': describedBy, 'aria-invalid': true as const })}
      >
        {!isOffered && (
          <option value={value} selected>
            {value === '' ? '–' : value}
          </option>
        )}
        {LANGUAGES.map((language) => (
          <option key={language} value={language} lang={language} selected={language === value}>
            {LANGUAGE_NAMES[language]}
          </option>
        ))}
      </select>
    </p>
  )
}

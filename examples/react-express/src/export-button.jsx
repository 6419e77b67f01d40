import { useAuth } from '@latchkey/react'
import { useState } from 'react'

export function ExportButton() {
  const { getAccessToken } = useAuth()
  const [result, setResult] = useState('')

  async function exportProjects() {
    try {
      const headers = { authorization: `Bearer ${await getAccessToken()}` }
      const response = await fetch('/api/export', { method: 'POST', headers })
      const body = await response.json()
      setResult(response.ok ? body.projects.join(', ') : body.message)
    } catch (error) {
      setResult(error.message)
    }
  }

  return (
    <p>
      <button type="button" onClick={exportProjects}>
        Export
      </button>{' '}
      <output>{result}</output>
    </p>
  )
}

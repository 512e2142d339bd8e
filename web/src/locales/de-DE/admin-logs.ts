/** Administration: system log. */
export default {
  title: 'Protokoll',
  search: 'Protokoll durchsuchen',
  searchHint: 'Meldung, Konto, Adresse oder Ergebnis',
  level: 'Stufe',
  levels: {
    All: 'Alle',
    Information: 'Information',
    Warning: 'Warnung',
    Error: 'Fehler',
    Fatal: 'Fatal',
  },
  table: 'Systemprotokoll',
  column: {
    time: 'Zeit',
    level: 'Stufe',
    user: 'Konto',
    address: 'Adresse',
    result: 'Ergebnis',
    message: 'Meldung',
  },
  ordered: 'Sortiert sind die neuesten {{number}} Einträge',
  through: 'Durchsucht werden die Einträge {{from}} bis {{to}}, neueste zuerst',
  failed: 'Das Protokoll konnte nicht geladen werden',
  emptyTitle: 'Das Protokoll ist leer',
  emptyText:
    'Hier erscheinen Anmeldungen, Handlungen der Teams, Instanzen, beurteilte Flags, Änderungen durch Admins und Fehler.',
  noneTitle: 'Keine Ergebnisse',
  noneText: 'Keine Ergebnisse in den Einträgen {{from}} bis {{to}}. Ältere stehen auf den nächsten Seiten.',
  noneLevel: 'Keine Einträge dieser Stufe',
  noneLevelText: 'Neue erscheinen hier automatisch.',
  clear: 'Suche und Stufe zurücksetzen',
} as const

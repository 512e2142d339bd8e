/** A team's writeup: its state and the upload. */
export default {
  writeup: {
    title: 'Writeup',
    text: 'Beschreibe in einem PDF, wie dein Team die Aufgaben gelöst hat. Jedes Mitglied kann es abgeben; eine neue Datei ersetzt die alte.',
    instructions: 'Vorgaben der Veranstalter',
    submitted: 'Abgegeben',
    missing: 'Noch nicht abgegeben',
    file: 'Datei',
    deadline: 'Frist',
    left: 'verbleibend',
    deadlineUnknown: 'Von den Veranstaltern festgelegt. Verspätete Dateien werden abgelehnt.',
    over: 'Die Abgabefrist ist vorbei',
    overMissing: 'Es wurde kein Writeup abgegeben. Frag die Veranstalter, falls du es noch musst.',
    drop: 'Leg ein PDF hier ab oder wähle eines aus',
    replace: 'Leg ein neues PDF hier ab, um es zu ersetzen, oder wähle eines aus',
    hint: 'Ein PDF unter 20 MB',
    unfit: 'Die Datei konnte nicht geladen werden. Bitte prüfe Format und Größe',
    sending: '{{name}} wird hochgeladen',
    cancel: 'Abbrechen',
    done: 'Writeup abgegeben',
    failed: 'Der Status deines Writeups konnte nicht geladen werden',
  },
} as const

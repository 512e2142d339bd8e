export default {
  title: 'Avisos',
  titleOf: 'Avisos de {{game}}',
  loading: 'Cargando avisos',
  filter: {
    label: 'Mostrar avisos',
    all: 'Todos',
    game: 'Competición',
    events: 'Eventos',
    challenge: 'Retos',
  },
  before: {
    title: 'La competición aún no ha empezado',
    text: 'Los avisos se abren con la competición: anuncios de la organización, retos nuevos, pistas y first bloods.',
  },
  empty: {
    title: 'Todavía no hay avisos',
    text: 'Anuncios de la organización, retos nuevos, pistas y first bloods aparecen aquí automáticamente.',
  },
  emptyFilter: {
    game: {
      title: 'Nada de la organización todavía',
      text: 'Sus anuncios aparecen aquí automáticamente.',
    },
    events: {
      title: 'Ningún blood todavía',
      text: 'Los tres primeros equipos en resolver un reto aparecen aquí.',
    },
    challenge: {
      title: 'Sin retos ni pistas nuevos',
      text: 'Aparecen aquí cuando la organización los añade durante la competición.',
    },
  },
  showAll: 'Mostrar avisos anteriores',
  more: 'Mostrar más',
  today: 'Hoy',
  yesterday: 'Ayer',
  type: {
    Normal: 'Anuncio',
    FirstBlood: 'First blood',
    SecondBlood: 'Second blood',
    ThirdBlood: 'Third blood',
    NewHint: 'Pista nueva',
    NewChallenge: 'Reto nuevo',
  },
  text: {
    blood: '<who>{{team}}</who> ha resuelto <what>{{challenge}}</what>',
    NewHint: 'Se ha añadido una pista a <what>{{challenge}}</what>',
    NewChallenge: '<what>{{challenge}}</what> ya está abierto',
  },
  unread: { title: 'Anuncios sin leer', read: 'Marcar como leído', readAll: 'Marcar todos como leídos' },
  fresh: 'Nuevo',
  failed: 'No se han podido cargar los avisos',
} as const

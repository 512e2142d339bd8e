export default {
  title: 'Annonces',
  titleOf: 'Annonces de {{game}}',
  loading: 'Chargement des annonces',
  filter: {
    label: 'Afficher les annonces',
    all: 'Toutes',
    game: 'Compétition',
    events: 'Événements',
    challenge: 'Défis',
  },
  before: {
    title: 'La compétition n’a pas encore commencé',
    text: 'Les annonces s’ouvrent avec la compétition : messages des organisateurs, nouveaux défis, indices et first bloods.',
  },
  empty: {
    title: 'Pas encore d’annonce',
    text: 'Messages des organisateurs, nouveaux défis, indices et first bloods apparaissent ici automatiquement.',
  },
  emptyFilter: {
    game: {
      title: 'Rien encore des organisateurs',
      text: 'Leurs messages apparaissent ici automatiquement.',
    },
    events: {
      title: 'Pas encore de blood',
      text: 'Les trois premières équipes à résoudre un défi apparaissent ici.',
    },
    challenge: {
      title: 'Ni nouveau défi ni indice',
      text: 'Ils apparaissent ici quand les organisateurs en ajoutent pendant la compétition.',
    },
  },
  showAll: 'Afficher les annonces plus anciennes',
  more: 'Afficher plus',
  today: 'Aujourd’hui',
  yesterday: 'Hier',
  type: {
    Normal: 'Message',
    FirstBlood: 'First blood',
    SecondBlood: 'Second blood',
    ThirdBlood: 'Third blood',
    NewHint: 'Nouvel indice',
    NewChallenge: 'Nouveau défi',
  },
  text: {
    blood: '<who>{{team}}</who> a résolu <what>{{challenge}}</what>',
    NewHint: 'Un indice a été ajouté à <what>{{challenge}}</what>',
    NewChallenge: '<what>{{challenge}}</what> est maintenant ouvert',
  },
  unread: { title: 'Messages non lus', read: 'Marquer comme lu', readAll: 'Tout marquer comme lu' },
  fresh: 'Nouveau',
  failed: 'Les annonces n’ont pas pu être chargées',
} as const

"""Options and questions of yes or no, read from real sentences in thirteen languages."""

import pytest

from bot.errors import UsageError
from bot.request.modes import detect_mode
from bot.request.options import choice_in, named_options, options_in, yes_and_no, yes_or_no
from bot.types.mode import Mode

CHOICES = {
    "en": [
        ("Postgres or SQLite for our queue?", "Postgres | SQLite"),
        ("Should we switch to Rust or stay on Go?", "switch to Rust | stay on Go"),
        (
            "Should we run Postgres in Docker or SQLite on disk?",
            "Postgres in Docker | SQLite on disk",
        ),
        ('Shall we call it "Red Fox" or "Blue Whale"?', "Red Fox | Blue Whale"),
        ("We need a name. Which one: Ada, Grace or Edsger?", "Ada | Grace | Edsger"),
        ("Monorepo vs polyrepo?", "Monorepo | polyrepo"),
    ],
    "de": [
        ("Tee oder Kaffee?", "Tee | Kaffee"),
        ("Postgres oder SQLite für unsere Warteschlange?", "Postgres | SQLite"),
        ("Sollen wir Postgres oder SQLite für die Queue verwenden?", "Postgres | SQLite"),
        ("Sollen wir Tee oder Kaffee trinken?", "Tee | Kaffee"),
        ("Sollen wir mit dem Zug oder mit dem Auto fahren?", "Zug | Auto"),
        ("Was ist besser, Vim oder Emacs?", "Vim | Emacs"),
        ("Ist Rust oder Go besser?", "Rust | Go"),
        ("Welche Farbe: Rot, Grün oder Dunkelblau?", "Rot | Grün | Dunkelblau"),
        ("Nehmen wir Kubernetes oder Nomad für das neue Cluster?", "Kubernetes | Nomad"),
        ("Soll das Treffen in Berlin, Hamburg oder Köln stattfinden?", "Berlin | Hamburg | Köln"),
        ("Pizza oder Pasta heute Abend?", "Pizza | Pasta"),
        ("Sollten wir umziehen oder bleiben?", "umziehen | bleiben"),
        (
            "Sollen wir im Büro arbeiten oder ins Homeoffice wechseln?",
            "im Büro arbeiten | ins Homeoffice wechseln",
        ),
        ("Nennen wir es „Roter Fuchs“ oder „Blauer Wal“?", "Roter Fuchs | Blauer Wal"),
    ],
    "fr": [
        ("Thé ou café ?", "Thé | café"),
        ("Postgres ou SQLite pour notre file d'attente ?", "Postgres | SQLite"),
        ("Faut-il choisir Rust ou Go pour le nouvel outil ?", "Rust | Go"),
        ("Devons-nous utiliser React ou Vue ?", "React | Vue"),
        ("Quelle couleur : rouge, vert ou bleu ?", "rouge | vert | bleu"),
        ("Est-ce que nous devrions prendre le train ou l'avion ?", "train | l'avion"),
        ("Lequel est mieux, Vim ou Emacs ?", "Vim | Emacs"),
        ("Vaut-il mieux louer ou acheter ?", "louer | acheter"),
        ("On l'appelle « Renard » ou « Baleine » ?", "Renard | Baleine"),
    ],
    "es": [
        ("¿Té o café?", "Té | café"),
        ("¿Postgres o SQLite para nuestra cola?", "Postgres | SQLite"),
        ("¿Debemos usar Rust o Go para la nueva herramienta?", "Rust | Go"),
        ("¿Qué es mejor, Vim o Emacs?", "Vim | Emacs"),
        ("¿Qué color elegimos: rojo, verde o azul?", "rojo | verde | azul"),
        ("Vue o React?", "Vue | React"),
        ("¿Deberíamos comprar o alquilar?", "comprar | alquilar"),
        ("¿Usamos siete u ocho?", "siete | ocho"),
        ("¿Vamos a Madrid o a Barcelona?", "Madrid | Barcelona"),
        ("¿Usamos Kubernetes o bien Nomad?", "Kubernetes | Nomad"),
    ],
    "pt": [
        ("Chá ou café?", "Chá | café"),
        ("Postgres ou SQLite para a nossa fila?", "Postgres | SQLite"),
        ("Devemos usar Rust ou Go na nova ferramenta?", "Rust | Go"),
        ("Qual é melhor, Vim ou Emacs?", "Vim | Emacs"),
        ("Qual cor: vermelho, verde ou azul?", "vermelho | verde | azul"),
        ("Deveríamos comprar ou alugar?", "comprar | alugar"),
        ("Vamos para Lisboa ou para o Porto?", "Lisboa | Porto"),
        ("É melhor o trem ou o avião?", "trem | avião"),
    ],
    "it": [
        ("Tè o caffè?", "Tè | caffè"),
        ("Postgres o SQLite per la nostra coda?", "Postgres | SQLite"),
        ("Dovremmo usare Rust oppure Go per il nuovo strumento?", "Rust | Go"),
        ("Cosa è meglio, Vim o Emacs?", "Vim | Emacs"),
        ("Quale colore: rosso, verde o blu?", "rosso | verde | blu"),
        ("Conviene comprare o affittare?", "comprare | affittare"),
        ("Andiamo a Roma o a Milano?", "Roma | Milano"),
        ("Usiamo React o Vue?", "React | Vue"),
    ],
    "nl": [
        ("Postgres of SQLite voor onze wachtrij?", "Postgres | SQLite"),
        ("Moeten we Rust of Go gebruiken?", "Rust | Go"),
        ("Zullen we thee of koffie drinken?", "thee | koffie"),
        ("Wat is beter, Vim of Emacs?", "Vim | Emacs"),
        ("Welke kleur: rood, groen of blauw?", "rood | groen | blauw"),
        ("Kiezen we React of Vue voor het project?", "React | Vue"),
        ("Gaan we naar Amsterdam of naar Utrecht?", "Amsterdam | Utrecht"),
        ("Zullen we blijven of verhuizen?", "blijven | verhuizen"),
    ],
    "pl": [
        ("Herbata czy kawa?", "Herbata | kawa"),
        ("Postgres czy SQLite dla naszej kolejki?", "Postgres | SQLite"),
        ("Czy powinniśmy użyć Rust czy Go?", "Rust | Go"),
        ("Co jest lepsze, Vim czy Emacs?", "Vim | Emacs"),
        ("Który kolor: czerwony, zielony czy niebieski?", "czerwony | zielony | niebieski"),
        ("Wybieramy React albo Vue?", "React | Vue"),
        ("Jedziemy do Krakowa czy do Gdańska?", "Krakowa | Gdańska"),
        ("Lepiej kupić czy wynająć?", "kupić | wynająć"),
    ],
    "ru": [
        ("Чай или кофе?", "Чай | кофе"),
        ("Postgres или SQLite для нашей очереди?", "Postgres | SQLite"),
        ("Нам использовать Rust или Go?", "Rust | Go"),
        ("Что лучше, Vim или Emacs?", "Vim | Emacs"),
        ("Какой цвет: красный, зелёный или синий?", "красный | зелёный | синий"),
        ("Стоит ли нам перейти на Rust или остаться на Go?", "перейти на Rust | остаться на Go"),
        ("Едем в Москву или в Петербург?", "Москву | Петербург"),
        ("Купить либо арендовать?", "Купить | арендовать"),
        ("Назовём «Лиса» или «Кит»?", "Лиса | Кит"),
    ],
    "ar": [
        ("الشاي أم القهوة؟", "الشاي | القهوة"),
        ("هل نستخدم Postgres أم SQLite لقائمة الانتظار؟", "Postgres | SQLite"),
        ("أيهما أفضل، Vim أو Emacs؟", "Vim | Emacs"),
        ("هل نسافر إلى دبي أم إلى القاهرة؟", "دبي | القاهرة"),
        ("هل نختار الأحمر أم الأخضر أم الأزرق؟", "الأحمر | الأخضر | الأزرق"),
        ("Rust أم Go في المشروع الجديد؟", "Rust | Go"),
        ("شاي او قهوة؟", "شاي | قهوة"),
    ],
    "ja": [
        ("紅茶それともコーヒー？", "紅茶 | コーヒー"),
        ("紅茶ですか、それともコーヒーですか？", "紅茶 | コーヒー"),
        ("キューにはPostgresとSQLite、どちらがいいですか？", "Postgres | SQLite"),
        ("RustとGoのどちらを使うべきか？", "Rust | Go"),
        ("PostgresかSQLiteか？", "Postgres | SQLite"),
        ("ReactまたはVueを使うべき？", "React | Vue"),
        ("東京と大阪と福岡、どれがいい？", "東京 | 大阪 | 福岡"),
        ("電車で行くべきか、それとも車で行くべきか？", "電車 | 車"),
        ("名前は「キツネ」それとも「クジラ」？", "キツネ | クジラ"),
    ],
    "zh": [
        ("喝茶还是喝咖啡？", "茶 | 咖啡"),
        ("我们应该用Postgres还是SQLite？", "Postgres | SQLite"),
        ("我們應該用Postgres還是SQLite來做佇列？", "Postgres | SQLite"),
        ("TypeScript还是JavaScript？", "TypeScript | JavaScript"),
        ("选红色、绿色还是蓝色？", "红色 | 绿色 | 蓝色"),
        ("Postgres和SQLite哪个更好？", "Postgres | SQLite"),
        ("Rust 或者 Go？", "Rust | Go"),
        ("去北京还是上海？", "北京 | 上海"),
        ("你喜欢猫还是狗？", "猫 | 狗"),
        ("今晚吃披萨还是面条？", "披萨 | 面条"),
    ],
    "ko": [
        ("커피 아니면 차?", "커피 | 차"),
        ("Postgres 또는 SQLite?", "Postgres | SQLite"),
        ("Postgres를 쓸까요 아니면 SQLite를 쓸까요?", "Postgres | SQLite"),
        ("Rust와 Go 중 어느 것이 좋을까요?", "Rust | Go"),
        ("빨강, 초록 아니면 파랑?", "빨강 | 초록 | 파랑"),
        ("우리 대기열에는 Postgres 아니면 SQLite?", "Postgres | SQLite"),
        ("서울로 갈까요, 부산으로 갈까요?", "서울 | 부산"),
        ("서울이 좋을까 부산이 좋을까?", "서울 | 부산"),
        ("짜장면이냐 짬뽕이냐?", "짜장면 | 짬뽕"),
        ("강아지와 고양이 중 뭐가 좋아요?", "강아지 | 고양이"),
    ],
}
NO_CHOICES = [
    "Should we ship it or not?",
    "What are the pros and cons of tea or coffee at work for people who sleep badly at night?",
    "State of the union?",
    "A lack of sleep or so?",
    "How do we migrate to Postgres or MySQL?",
    "Sollen wir Rust verwenden?",
    "Sollen wir migrieren oder nicht?",
    "Wie migrieren wir zu Postgres oder MySQL?",
    "Warum oder wofür?",
    "Où allons-nous ?",
    "Ou est la gare ?",
    "Faut-il migrer ou pas ?",
    "Comment migrer vers Postgres ou MySQL ?",
    "¿Cómo migramos a Postgres o MySQL?",
    "¿Migramos o no?",
    "Comprar o carro?",
    "Devemos migrar o banco de dados?",
    "Devemos migrar ou não?",
    "Migriamo o no?",
    "Come migriamo a Postgres o MySQL?",
    "Migreren we of niet?",
    "Weet iemand of we moeten migreren?",
    "Hoe migreren we naar Postgres of MySQL?",
    "Czy powinniśmy migrować?",
    "Nie wiem, czy powinniśmy migrować?",
    "Czy migrujemy, czy nie?",
    "Co sądzisz o migracji?",
    "Стоит ли нам мигрировать?",
    "Мигрируем или нет?",
    "Как мигрировать на Postgres или MySQL?",
    "Когда либо где?",
    "هل ننتقل أم لا؟",
    "كيف ننتقل إلى Postgres أو MySQL؟",
    "هل ينبغي أن ننتقل؟",
    "移行すべきですか？",
    "なぜ移行すべきですか？",
    "移行するか、それともしないか？",
    "我们应该迁移吗？",
    "我们还是用Postgres吧",
    "他还是不来？",
    "이전해야 할까요?",
    "왜 이전해야 할까요?",
    "우리는 안 할까요?",
    "Does anybody have ideas or questions?",
    "Hat jemand Tipps oder Ideen?",
    "¿Alguien tiene ideas o preguntas?",
    "Czy ktoś ma pomysły lub pytania?",
    "У кого есть идеи или вопросы?",
    "هل لديك أفكار أو أسئلة؟",
    "質問か意見はありますか？",
    "有问题或者想法吗？",
    "질문 또는 의견이 있나요?",
    "A report about tea or coffee",
    "Ein Bericht über Tee oder Kaffee",
]
YES_NO = {
    "Should we ship it or not?": "Yes | No",
    "Kann ich Urlaub nehmen oder nicht?": "Ja | Nein",
    "Should we adopt uv?": "Yes | No",
    "Sollen wir Rust verwenden?": "Ja | Nein",
    "Ist Rust reif genug?": "Ja | Nein",
    "Faut-il migrer vers Postgres ?": "Oui | Non",
    "Est-ce que nous devrions migrer ?": "Oui | Non",
    "¿Debemos migrar a Postgres?": "Sí | No",
    "Devemos migrar para o Postgres?": "Sim | Não",
    "Dovremmo migrare a Postgres?": "Sì | No",
    "Moeten we naar Postgres migreren?": "Ja | Nee",
    "Czy powinniśmy migrować?": "Tak | Nie",
    "Стоит ли нам мигрировать?": "Да | Нет",
    "هل ننتقل إلى Postgres؟": "نعم | لا",
    "Postgresに移行すべきですか？": "はい | いいえ",
    "我们应该迁移到Postgres吗？": "是 | 否",
    "Postgres로 이전해야 할까요?": "예 | 아니요",
}
OPEN = [
    "Which database should we use?",
    "Welche Datenbank sollen wir nehmen?",
    "Wie heißt das neue Projekt?",
    "Quel nom pour le projet ?",
    "¿Qué nombre le ponemos al proyecto?",
    "Qual nome usamos no projeto?",
    "Quale nome usiamo per il progetto?",
    "Welke naam kiezen we?",
    "Jaki kolor wybieramy?",
    "Какой цвет выбираем?",
    "ما الاسم الأنسب للمشروع؟",
    "どの色がいいですか？",
    "我们应该选什么颜色？",
    "어떤 색이 좋을까요?",
    "a name for the project",
]


@pytest.mark.parametrize(
    ("topic", "options"), [pair for pairs in CHOICES.values() for pair in pairs]
)
def test_a_question_that_names_its_options_is_a_vote(topic: str, options: str) -> None:
    """E13 and 2.2#43, in every language: the options are those of the sentence."""
    assert " | ".join(choice_in(topic)) == options
    assert options_in(topic) == choice_in(topic)
    assert detect_mode(topic) is Mode.VOTE


@pytest.mark.parametrize("topic", NO_CHOICES)
def test_a_question_that_names_nothing_to_choose_from_is_no_vote(topic: str) -> None:
    assert choice_in(topic) == ()
    assert detect_mode(topic) is not Mode.VOTE


@pytest.mark.parametrize(("topic", "options"), YES_NO.items())
def test_a_question_of_yes_or_no_is_answered_in_its_own_language(topic: str, options: str) -> None:
    assert " | ".join(yes_or_no(topic)) == options
    assert " | ".join(yes_and_no(topic)) == options


@pytest.mark.parametrize("topic", OPEN)
def test_an_open_question_is_answered_by_neither(topic: str) -> None:
    assert (yes_or_no(topic), options_in(topic)) == ((), ())


@pytest.mark.parametrize(
    ("topic", "options"),
    [
        ("Thee of koffie?", ("Thee", "koffie")),
        ("tea or coffee", ("tea", "coffee")),
        ("Tee oder Kaffee", ("Tee", "Kaffee")),
    ],
)
def test_whoever_says_that_it_is_a_vote_needs_no_question_mark(
    topic: str, options: tuple[str, ...]
) -> None:
    assert (choice_in(topic), options_in(topic)) == ((), options)


def test_named_options_are_taken_as_they_are() -> None:
    assert named_options('Red wine | "White wine" |  none of them ') == (
        "Red wine",
        "White wine",
        "none of them",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tea", "names 2 to 8 options"),
        (" | ".join("abcdefghi"), "names 2 to 8 options"),
        ("tea | Tea", "twice"),
        (f"tea | {'x' * 61}", "60 characters"),
    ],
)
def test_options_that_cannot_be_voted_on_are_refused_with_advice(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        named_options(text)

"""The words by which questions are understood, for each language that has spaces between words."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

EDGES: Final = " \t\n.,;:!?\"'`*_()[]«»“”„¿¡？！。、，；：؟،؛「」『』"
"""What stands around words without being part of them."""
EAST_ASIAN: Final = frozenset({"ja", "zh", "ko"})
"""Languages without spaces between words."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


@dataclass(frozen=True, slots=True)
class Language:
    """What the words of one language do in a question."""

    joins: tuple[str, ...]
    """What stands between two options."""
    marks: frozenset[str]
    """Words by which the language is recognised."""
    openers: frozenset[str]
    """Words that begin a question or a clause, and never an option."""
    fillers: frozenset[str]
    """Words between the beginning of a question and its first option."""
    links: frozenset[str]
    """Articles and prepositions that stand before an option and do not belong to it."""
    tails: frozenset[str]
    """Words with which begins what the options are for."""
    asks: frozenset[str]
    """First words of open questions, which name nothing to choose from."""
    judged: frozenset[str]
    """Words for "better"; with one of them a question is about a choice whatever it begins with."""
    no_things: frozenset[str]
    """Words such as "not" in "or not?", which are no option."""
    yes_no: tuple[str, str]
    verb: str = ""
    """How verbs end that stand behind the last option."""


_ENGLISH: Final = Language(
    joins=("or", "vs.", "vs", "versus"),
    marks=_set(
        "an and are can could does for have how it or our shall should the this to we what "
        "which will with would you your"
    ),
    openers=_set(
        "are can could decide did do does is let's may might must shall should what when where "
        "whether which who why will would"
    ),
    fillers=_set(
        "a an and be better best between choose either for good have i it keep me more my need of "
        "one our pick please prefer recommend select stay switch take team than that the this to "
        "us use using want we with you your"
    ),
    links=_set("a an at by for from in into of on the to with"),
    tails=_set(
        "for in on at with when as if from during because this next to today tonight tomorrow"
    ),
    asks=_set("how why when where who whose what"),
    judged=_set("better best prefer preferable choose pick rather"),
    no_things=_set("else less more no not so something yes"),
    yes_no=("Yes", "No"),
)

_GERMAN: Final = Language(
    joins=("oder", "vs.", "vs", "versus", "bzw."),
    marks=_set(
        "aber als auf aus bei besser das dem den der des die ein eine einen für ich ist kann "
        "können lieber mit nicht oder sind soll sollen sollte sollten sollte uns unser unsere "
        "unserem unseren unserer und von was welche welcher welches werden wie wir wird wo zu zum "
        "zur dass müssen dürfen warum wann wer"
    ),
    openers=_set(
        "bin brauchen brauche darf dürfen gehen geht gibt haben hat ist kann kannst können könnte "
        "könnten lohnt macht mag mögen müssen muss nehmen nehme sind soll sollen sollte sollten "
        "was welche welchen welcher welches welchem wann war waren warum wer werden wird wollen "
        "will wo wäre wählen ob dass würde würdet habt seid ich wir du ihr man sie er es verwenden "
        "nutzen machen"
    ),
    fillers=_set(
        "als am an auf besser bei bitte das den dem denn der die eher ein eine einen einem einer "
        "entweder es euch für ich im in lieber man mit mir nehmen nutzen nun seid sich uns unser "
        "unsere unseren unserem verwenden wir zu zum zur zwischen du ihr jetzt künftig ab von"
    ),
    links=_set(
        "als am an auf bei für das dem den der die ein eine einen einem einer im in mit zu zum "
        "zur nach von per"
    ),
    tails=_set(
        "für in im auf bei mit als wenn falls während weil zum zur zu am an aus bis ab nach "
        "um von diese diesen nächste nächsten unter über heute morgen"
    ),
    asks=_set("wie warum wieso weshalb wann wo wer wessen wem wen was woher wohin womit worüber"),
    judged=_set("besser lieber eher bevorzugt wählen nehmen bester beste bestes"),
    no_things=_set(
        "nicht nein ja mehr weniger so anders sonst etwas doch kein keine ähnliches was auch"
    ),
    yes_no=("Ja", "Nein"),
    verb=r"(?:en|ern|eln|tun|sein|gehn)",
)

_FRENCH: Final = Language(
    joins=("ou bien", "ou plutôt", "ou", "vs.", "vs", "contre"),
    marks=_set(
        "au aux avec ce cette comment dans de des devons devrions doit du elle en est et faire "
        "faut-il il ils je la le les leur lequel laquelle mieux mon nos notre nous où ou par pas "
        "plutôt pour pourquoi qu'est-ce que quel quelle qui quoi sa ses son sont sur un une vos "
        "votre vous doit-on devons-nous est-ce faut vaut-il choisir"
    ),
    openers=_set(
        "a as avez avons choisir comment devons devons-nous devrait devrait-on devrions "
        "devrions-nous dois dois-je doit doit-on es est est-ce est-il est-elle êtes faut faut-il "
        "lequel laquelle lesquels on ont peut peut-on peux pouvons-nous pourquoi préférer "
        "préférez-vous quand que quel quelle quels quelles qu'est-ce qui quoi sommes-nous sont "
        "vaut-il va-t-on voulez-vous veut-on où nous je tu il elle ils elles vous"
    ),
    fillers=_set(
        "adopter au aux avec bien c'est ce choisir de des du elle en entre garder il je la le les "
        "l'on mieux notre nos nous on opter passer plutôt pour prendre qu'il que rester se soit tu "
        "un une utiliser vaut vous à"
    ),
    links=_set("à au aux avec chez dans de des du en la le les par pour sur un une vers"),
    tails=_set(
        "pour dans sur à au aux avec en si quand comme lorsque pendant car chez de du des "
        "cette ce cet aujourd'hui demain"
    ),
    asks=_set("comment pourquoi quand où qui que quoi combien qu'est-ce"),
    judged=_set("mieux meilleur meilleure meilleurs préférable plutôt choisir préférer"),
    no_things=_set("pas non oui plus moins autre quoi rien alors pas? presque"),
    yes_no=("Oui", "Non"),
)

_SPANISH: Final = Language(
    joins=("o bien", "o", "u", "vs.", "vs", "versus"),
    marks=_set(
        "al como con cuál cuáles cómo de debemos deberíamos debería del dónde el ella en es esta "
        "este hacer la las lo los más mejor mi nos nosotros nuestra nuestro nuestros para pero por "
        "porque qué que quién se ser son su sus un una usamos usar y ¿qué ¿cuál ¿debemos ¿es "
        "¿deberíamos tenemos vamos hay"
    ),
    openers=_set(
        "conviene cuál cuáles cuándo cómo debe debemos debería deberíamos deberían dónde elegimos "
        "elegir es eres hacemos hay podemos podríamos por prefieres prefieren preferimos puede "
        "pueden quién quiénes queremos quieres qué somos son será tenemos usamos usar vamos está "
        "están nosotros yo tú él ella ellos si"
    ),
    fillers=_set(
        "a adoptar al con de del el en entre es la las lo los me mejor nos nosotros "
        "nuestra nuestro "
        "optar para por que se seguir ser tomar un una usar utilizar tomamos elegir escoger vamos "
        "ir mantener quedarnos"
    ),
    links=_set("a al con de del el en la las lo los para por un una"),
    tails=_set(
        "para en con por cuando como si durante porque a al de del este esta desde según hoy mañana"
    ),
    asks=_set("cómo por cuándo dónde quién quiénes qué"),
    judged=_set("mejor mejores preferible prefieres preferimos elegir elegimos escoger conviene"),
    no_things=_set("no sí más menos otro otra algo así nada ya también"),
    yes_no=("Sí", "No"),
)

_PORTUGUESE: Final = Language(
    joins=("ou então", "ou", "vs.", "vs", "versus"),
    marks=_set(
        "ao aos as com como da das de devemos deveríamos deveria do dos ela em escolher essa esse "
        "esta este eu fazer isso mais melhor na não nas nos nossa nosso nossos os ou para "
        "pela pelo por porque qual quais que quem se ser são sua um uma usar você vamos à é há"
    ),
    openers=_set(
        "como deve devemos deveria deveriam deveríamos devo escolhemos escolher fazemos há onde "
        "podemos poderíamos por pode prefere preferem preferimos preferes qual quais quando quem "
        "queremos que são será temos usamos usar vale vamos é está estão nós eu ele ela eles você "
        "se"
    ),
    fillers=_set(
        "a adotar ao as com da das de do dos em entre é escolher ficar ir manter melhor na no nós "
        "nossa nosso o os optar para pelo por que se ser tomar um uma usar utilizar vamos"
    ),
    links=_set(
        "a à ao aos as com da das de do dos em na nas no nos o os para pela pelo por um uma"
    ),
    tails=_set(
        "para em no na nos nas com por quando como se durante porque a ao à de do da este "
        "esta neste nesta desde hoje amanhã"
    ),
    asks=_set("como por quando onde quem que"),
    judged=_set("melhor melhores preferível preferes preferimos escolher escolhemos"),
    no_things=_set("não sim mais menos outro outra algo assim nada também já"),
    yes_no=("Sim", "Não"),
)

_ITALIAN: Final = Language(
    joins=("oppure", "o", "ovvero", "vs.", "vs", "contro"),
    marks=_set(
        "ai al alla che chi come con cosa da dal de dei del della delle di dobbiamo dove dovremmo "
        "dovrebbe gli il io l'uso la le lo ma meglio nel nella noi non nostra nostro "
        "oppure per perché più qual quale quali quando scegliere se si sono su tra un "
        "una usare è andiamo prendiamo compriamo teniamo"
    ),
    openers=_set(
        "abbiamo chi come conviene cosa deve devo devono dobbiamo dove dovrebbe dovrei dovremmo "
        "facciamo ha hanno perché possiamo potremmo preferiamo preferisci può qual quale quali "
        "quando quanto scegliamo scegliere sono usiamo usare vale vogliamo è sarebbe siamo noi io "
        "lui lei loro tu se"
    ),
    fillers=_set(
        "a adottare ai al alla che con da dei del di è fra gli i il in la le lo l'uso meglio "
        "mantenere nel nella noi nostra nostro o optare passare per più prendere restare scegliere "
        "si su tra un una usare utilizzare"
    ),
    links=_set("a ai al alla con da dal dei del della di gli i il in la le lo per su un una"),
    tails=_set(
        "per in nel nella con su sul sulla quando come se durante perché a al alla da di "
        "questo questa oggi domani stasera"
    ),
    asks=_set("come perché quando dove chi cosa che"),
    judged=_set("meglio migliore migliori preferibile preferisci scegliere scegliamo conviene"),
    no_things=_set("no sì più meno altro altra qualcosa così niente non anche"),
    yes_no=("Sì", "No"),
)

_DUTCH: Final = Language(
    joins=("ofwel", "of", "vs.", "vs", "versus"),
    marks=_set(
        "aan als bij dat de deze die dit doen een en er gaan gebruiken het hoe hun ik kiezen "
        "kunnen maar met moeten moet naar niet om ons onze ook op over te tot uit van voor waarom "
        "wanneer wat we welk welke wie wij zal zijn zou zouden zullen beter mijn liever"
    ),
    openers=_set(
        "ben dat doen ga gaan gaat hebben heeft hoe is kan kiezen kies kunnen mag moet "
        "moeten mogen "
        "nemen waar waarom wanneer was wat welk welke wie wil willen word worden zal zijn zou "
        "zouden zullen we wij ik jij je jullie zij ze hij het er iemand"
    ),
    fillers=_set(
        "aan beter bij de deze een gebruiken het in je kiezen liever met naar nemen nu of onze ons "
        "op te tussen van voor we wij ik"
    ),
    links=_set("aan bij de een het in met naar op te van via voor"),
    tails=_set(
        "voor in op bij met als wanneer tijdens omdat om aan naar van uit deze dit volgende "
        "tot vanaf vandaag vanavond morgen"
    ),
    asks=_set("hoe waarom wanneer waar wie wat waarmee waarvoor"),
    judged=_set("beter beste liever kiezen kies"),
    no_things=_set("niet nee ja meer minder anders iets zo niets zoiets geen ook"),
    yes_no=("Ja", "Nee"),
    verb=r"(?:en|aan|doen|zien|gaan)",
)

_POLISH: Final = Language(
    joins=("czy", "lub", "albo", "bądź", "vs.", "vs"),
    marks=_set(
        "ale albo by być co czy dla do jak jaki jaka jakie jest jeszcze już kiedy kto która które "
        "który lepiej lepsza lepsze lepszy lub mamy na nasz nasza nasze naszej naszym nie oraz od "
        "powinniśmy powinna powinien po pod przez przy się są to tylko w we wybrać "
        "wziąć z za ze że "
        "żeby użyć używać"
    ),
    openers=_set(
        "co czemu czy dlaczego gdzie ile jak jaka jaki jakie jest kiedy kto która które który mamy "
        "może możemy należy powinien powinna powinniśmy powinny są trzeba warto wolicie wolisz "
        "wybieramy będzie będziemy chcemy musimy my ja ty on ona oni że mógłby można"
    ),
    fillers=_set(
        "czy do dla być jest już lepiej lepsza lepsze lepszy mieć my na nam nasz nasze o od się są "
        "to używać użyć w wybrać wziąć z za ze zostać zostawić przejść raczej między"
    ),
    links=_set("do na od o po przy w we z za ze"),
    tails=_set(
        "dla do na w we z ze przy jako jeśli gdy kiedy podczas od ponieważ bo po pod "
        "za dziś dzisiaj jutro"
    ),
    asks=_set("jak dlaczego czemu kiedy gdzie kto co ile kogo czym"),
    judged=_set("lepiej lepsza lepsze lepszy wybrać wolisz wolicie wybieramy"),
    no_things=_set("nie tak więcej mniej inaczej coś inny inna też jednak może"),
    yes_no=("Tak", "Nie"),
)

_RUSSIAN: Final = Language(
    joins=("или же", "или", "либо", "vs.", "vs", "против"),
    marks=_set("и в не на что как мы для или ли"),
    openers=_set(
        "будем будет брать возьмём выбираем выбрать где должен должна должны есть "
        "какая какие какой "
        "какую когда кто куда лучше можем можно надо насколько нужен нужна нужно откуда почему "
        "пойдём следует сколько станем стоит хотим хочешь что это зачем как мы вы ты я "
        "он она они ли "
        "использовать"
    ),
    fillers=_set(
        "а бы в взять выбрать вам для же из использовать к ли лучше между мне мы на нам наш наша "
        "наше нашей нашего оставить остаться от перейти по с стоит сделать это "
        "является либо нужно"
    ),
    links=_set("в во к на от по с со у из о"),
    tails=_set("для в во на с со при когда как если потому из по от к у сегодня завтра"),
    asks=_set("как почему когда где кто что зачем сколько куда откуда чем"),
    judged=_set("лучше лучший лучшая предпочтительнее выбрать предпочесть"),
    no_things=_set("нет да больше меньше иначе что-то как не ещё всё нечто так"),
    yes_no=("Да", "Нет"),
)

_ARABIC: Final = Language(
    joins=("أم", "ام", "أو", "او", "مقابل", "vs.", "vs"),
    marks=_set("هل أم أو في من على ما هو هي"),
    openers=_set(
        "هل ما ماذا متى أين كيف لماذا من أي أيهما أيّهما ينبغي يجب نختار علينا يمكن يمكننا هو هي "
        "نحن أنا أنت لم لا كم"
    ),
    fillers=_set(
        "أن علينا نستخدم استخدام نختار الأفضل أفضل بين من هو هي في إلى لنا نستعمل نعتمد نشرب نشتري "
        "نستمر ننتقل إما ينبغي يجب لـ"
    ),
    links=_set("في إلى من على مع"),
    tails=_set("في على مع من إلى عند إذا خلال لأن عندما كـ"),
    asks=_set("كيف لماذا متى أين ماذا كم لم من ما"),
    judged=_set("الأفضل أفضل أحسن الأحسن نفضل نختار أيهما أيّهما الأنسب"),
    no_things=_set("لا نعم أكثر أقل شيء غير ذلك"),
    yes_no=("نعم", "لا"),
)

LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType(
    {
        "en": _ENGLISH,
        "de": _GERMAN,
        "fr": _FRENCH,
        "es": _SPANISH,
        "pt": _PORTUGUESE,
        "it": _ITALIAN,
        "nl": _DUTCH,
        "pl": _POLISH,
        "ru": _RUSSIAN,
        "ar": _ARABIC,
    }
)
YES_NO: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        **{name: language.yes_no for name, language in LANGUAGES.items()},
        "ja": ("はい", "いいえ"),
        "zh": ("是", "否"),
        "ko": ("예", "아니요"),
    }
)

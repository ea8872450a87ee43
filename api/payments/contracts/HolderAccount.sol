// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {WebAuthn} from "@openzeppelin/contracts/utils/cryptography/WebAuthn.sol";

bytes32 constant WITHDRAWAL = keccak256("Withdrawal(address account,uint256 chainId,uint256 nonce,uint96 amount,address to)");

/// The challenge that the passkey signs for a withdrawal, also before the account is deployed.
function withdrawalHashOf(address account, uint64 nonce, uint96 amount, address to) view returns (bytes32) {
    return keccak256(abi.encode(WITHDRAWAL, account, block.chainid, nonce, amount, to));
}

/// The part of Settlement that an account asks.
interface IOperated {
    function operator() external view returns (address);
}

/// Holds the tokens of one holder, under the holder's passkey. Money leaves by a capture that the
/// holder approved, or by a withdrawal that the holder asked for 9 days before. The delay is the
/// hold: an approval that is valid for 8 days can be captured, whatever the holder does.
/// Every account is a clone (EIP-1167) with immutable arguments: x, y, recovery address.
contract HolderAccount {
    using SafeERC20 for IERC20;

    uint256 public constant DELAY = 9 days;
    bytes32 private constant CANCEL = keccak256("Cancellation(address account,uint256 chainId,uint256 nonce)");

    address public immutable settlement;
    IERC20 public immutable token;

    /// The withdrawal that waits; none while `to` is zero.
    uint96 public amount;
    address public to;
    uint64 public readyAt;
    /// Counts the assertions used, so that none counts twice.
    uint64 public nonce;
    /// Units that ever left by a withdrawal: what a balance lacks beside the captures.
    uint128 public withdrawn;

    event WithdrawalRequested(address indexed to, uint256 amount, uint256 readyAt);
    event WithdrawalCancelled();
    event Withdrawn(address indexed to, uint256 amount);

    error NotSettlement();
    error NotRecovery();
    error NotReady();
    error NothingWaits();
    error AlreadyWaiting();
    error InvalidAssertion();
    error InvalidRecipient();

    /// Settlement deploys the one implementation.
    constructor(IERC20 token_) {
        settlement = msg.sender;
        token = token_;
    }

    /// Pays Settlement, which has checked the holder's approval.
    function pull(uint256 amount_) external {
        require(msg.sender == settlement, NotSettlement());
        token.safeTransfer(settlement, amount_);
    }

    /// Pays a withdrawal at once, with the holder's assertion. Settlement lets it leave, because the
    /// sponsor knows that nothing of it is held.
    function release(uint96 amount_, address to_, WebAuthn.WebAuthnAuth calldata assertion) external {
        require(msg.sender == settlement, NotSettlement());
        _use(withdrawalHash(amount_, to_), assertion);
        _requireRecipient(to_);
        _send(amount_, to_);
    }

    /// Starts the delay of a withdrawal. Anyone may bring the holder's assertion. It replaces a
    /// withdrawal that waits, and the delay begins anew.
    function requestWithdrawal(uint96 amount_, address to_, WebAuthn.WebAuthnAuth calldata assertion) external {
        _use(withdrawalHash(amount_, to_), assertion);
        _request(amount_, to_);
    }

    /// The recovery address asks for everything, to itself, for a holder who lost the passkey. It
    /// cannot push aside a withdrawal that the holder asked for.
    function requestWithdrawal() external {
        (,, address recovery) = terms();
        require(recovery != address(0) && msg.sender == recovery, NotRecovery());
        require(to == address(0), AlreadyWaiting());
        _request(type(uint96).max, recovery);
    }

    function cancelWithdrawal(WebAuthn.WebAuthnAuth calldata assertion) external {
        require(to != address(0), NothingWaits());
        _use(cancellationHash(), assertion);
        _clear();
        emit WithdrawalCancelled();
    }

    /// Pays the withdrawal that waits, at most what is there. The sponsor may do it before the
    /// delay ends, because it knows that nothing is held.
    function withdraw() external {
        address to_ = to;
        require(to_ != address(0), NothingWaits());
        require(block.timestamp >= readyAt || msg.sender == IOperated(settlement).operator(), NotReady());
        uint256 paid = Math.min(amount, token.balanceOf(address(this)));
        _clear();
        _send(paid, to_);
    }

    /// The challenge that the passkey signs for a withdrawal.
    function withdrawalHash(uint96 amount_, address to_) public view returns (bytes32) {
        return withdrawalHashOf(address(this), nonce, amount_, to_);
    }

    /// The challenge that the passkey signs for a cancellation.
    function cancellationHash() public view returns (bytes32) {
        return keccak256(abi.encode(CANCEL, address(this), block.chainid, nonce));
    }

    /// The immutable arguments of this clone.
    function terms() public view returns (bytes32 x, bytes32 y, address recovery) {
        return abi.decode(Clones.fetchCloneArgs(address(this)), (bytes32, bytes32, address));
    }

    function _use(bytes32 challenge, WebAuthn.WebAuthnAuth calldata assertion) private {
        (bytes32 x, bytes32 y,) = terms();
        require(WebAuthn.verify(abi.encodePacked(challenge), assertion, x, y), InvalidAssertion());
        nonce += 1;
    }

    function _request(uint96 amount_, address to_) private {
        _requireRecipient(to_);
        (amount, to, readyAt) = (amount_, to_, uint64(block.timestamp + DELAY));
        emit WithdrawalRequested(to_, amount_, readyAt);
    }

    function _requireRecipient(address to_) private view {
        require(to_ != address(0) && to_ != address(this) && to_ != settlement, InvalidRecipient());
    }

    function _send(uint256 paid, address to_) private {
        withdrawn += uint128(paid);
        token.safeTransfer(to_, paid);
        emit Withdrawn(to_, paid);
    }

    function _clear() private {
        (amount, to, readyAt) = (0, address(0), 0);
    }
}
